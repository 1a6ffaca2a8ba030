"""Arithmetic that the schemes are built from; pure functions, randomness as an argument."""
