"""Judging other people's code through an adapter: secure sums, private releases, robust rules."""
