"""One command a file; the file name is the command's name."""
