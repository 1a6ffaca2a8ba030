"""Choices, scenarios, comparisons and sweeps, and the folders they leave."""
