"""Made-up records planted in rounds of a deployment, to bound epsilon from what the rounds opened."""
