"""Schemas: the public description of records."""
