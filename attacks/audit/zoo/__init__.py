"""Mechanisms with known privacy, sound ones and bugs: one a file."""
