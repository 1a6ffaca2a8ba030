"""Poisons, deviations and inferences: everything an adversary does; imported by nothing below it."""
