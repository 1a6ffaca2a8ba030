"""Attacks measured over many settings."""
