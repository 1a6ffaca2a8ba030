"""Robust rules, one a file; the file name is the rule's name."""
