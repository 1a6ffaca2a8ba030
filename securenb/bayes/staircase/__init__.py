"""Rates read off summed votes: the estimation behind staircase sums (`docs/staircase.md`)."""
