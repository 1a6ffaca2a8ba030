"""The audit: four layers that look for a release which costs more than is claimed, cheapest first."""
