"""The parties of `verified`."""
