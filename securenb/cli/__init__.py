"""The command line: the same words as the API."""
