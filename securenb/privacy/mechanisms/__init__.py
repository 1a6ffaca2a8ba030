"""Noise for statistics, one mechanism a file; the file name is the mechanism's name."""
