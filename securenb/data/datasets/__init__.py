"""The data sets, one a file; the file's name is the data set's name."""
