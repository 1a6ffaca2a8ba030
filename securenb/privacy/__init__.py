"""Noise, what it costs, and the ledger that remembers."""
