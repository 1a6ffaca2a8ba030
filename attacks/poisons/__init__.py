"""Poisons, one a file; the file name is the poison's name."""
