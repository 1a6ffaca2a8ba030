"""Straight lines below and above functions of a whole number of records, by looking at every number.

Functions are given by their values at `first`, `first` + 1, …, shape (…, n). Rounding of a line is far below
`securenb.certify.worst_addition.TIE`.
"""

import numpy as np

from securenb.bayes.parameters import Floats

Lines = tuple[Floats, Floats]
"""Slopes and intercepts."""


def below(values: Floats, first: int = 0) -> Lines:
    """For each function the line parallel to its chord that is nowhere above it, shapes (…)."""
    slopes, places = _chord(values, first)
    return slopes, (values - slopes[..., None] * places).min(axis=-1)


def above(values: Floats, first: int = 0) -> Lines:
    """For each function the line parallel to its chord that is nowhere below it, shapes (…)."""
    slopes, places = _chord(values, first)
    return slopes, (values - slopes[..., None] * places).max(axis=-1)


def tangents(values: Floats, count: int) -> Lines:
    """For each function about `count` lines that are nowhere below it, shapes (count, …); `first` is 0.

    They have the slopes of its steps, more densely where it starts: there logarithms bend.
    """
    n = values.shape[-1]
    if n == 1:
        return np.zeros((1, *values.shape[:-1])), values[None, ..., 0]
    at = np.unique(np.rint((n - 2) * np.linspace(0, 1, count) ** 2).astype(np.intp))
    slopes = np.moveaxis(np.diff(values, axis=-1)[..., at], -1, 0)
    places = np.arange(n, dtype=np.float64)
    return slopes, np.stack([(values - slope[..., None] * places).max(axis=-1) for slope in slopes])


def _chord(values: Floats, first: int) -> tuple[Floats, Floats]:
    places = first + np.arange(values.shape[-1], dtype=np.float64)
    return (values[..., -1] - values[..., 0]) / max(len(places) - 1, 1), places
