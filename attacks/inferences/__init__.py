"""Inferences, one a file; the file name is the inference's name."""
