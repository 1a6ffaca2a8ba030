"""One round, from nodes to a model."""
