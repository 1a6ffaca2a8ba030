"""Secure sums of integer vectors, one scheme a file; nothing here knows what the integers mean."""
