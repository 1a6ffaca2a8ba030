"""One claim a file; the file's name is the claim's."""
