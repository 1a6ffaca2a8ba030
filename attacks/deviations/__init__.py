"""Deviations from a protocol, one file each."""
