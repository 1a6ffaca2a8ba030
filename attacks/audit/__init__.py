"""The audit of a release: whether what the ledger says of its privacy is true."""
