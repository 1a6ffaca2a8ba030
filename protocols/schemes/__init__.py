"""One secure-sum protocol a file; the file name is the protocol's name."""
