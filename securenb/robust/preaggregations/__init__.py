"""Pre-aggregations, one a file; the file name is its name."""
