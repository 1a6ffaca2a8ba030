"""Order statistics of each coordinate, in blocks of coordinates that stay in the processor's cache.

A selection down the columns of a large matrix misses the cache at every step. Copied into contiguous
memory, a few coordinates at a time, one order statistic of a coordinate is found by numpy's vectorised
selection; asked for two at once, numpy falls back to a slow one, so each is asked for alone.
"""

from collections.abc import Iterator

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.points import check_bound, check_matrix, checked

_BLOCK = 1 << 17
"""Floats of a block: a megabyte, what the second cache of a core holds."""


def medians(points: Floats) -> Floats:
    """The median of each coordinate, shape (d,); the midpoint of the middle two for an even number.

    Parameters
    ----------
    points
        Shape (n, d), float64.

    Raises
    ------
    ValueError
        If they are no such matrix or a row is not finite, naming the first.
    """
    found, half = np.empty(points.shape[-1]), len(points) // 2
    for place, values in _blocks(points):
        values.partition(half, axis=1)
        upper = values[:, half]
        lower = upper if len(points) % 2 else values[:, :half].max(axis=1)
        found[place] = (lower + upper) / 2
    return found


def trimmed_means(points: Floats, malicious: int) -> Floats:
    """Mean of the middle n - 2f values of each coordinate, shape (d,), for f < n/2 malicious rows.

    Parameters
    ----------
    points
        Shape (n, d), float64.

    Raises
    ------
    ValueError
        As `medians`, and if so many malicious rows are not fewer than half.
    """
    n = len(points)
    kept = n - 2 * malicious
    found = np.empty(points.shape[-1])
    check_bound(n, malicious, (n - 1) // 2)
    for place, values in _blocks(points):
        if malicious:
            values.partition(malicious, axis=1)
            values[:, malicious:].partition(kept - 1, axis=1)
        found[place] = values[:, malicious : n - malicious].sum(axis=1) / kept
    return found


def _blocks(points: Floats) -> Iterator[tuple[slice, Floats]]:
    """Copies (coordinates, n) of the values of some coordinates at a time, and which they are."""
    check_matrix(points)
    n, d = points.shape
    width = max(1, _BLOCK // n)
    for start in range(0, d, width):
        place = slice(start, min(start + width, d))
        values = points[:, place].T.copy()
        if not np.isfinite(values).all():
            checked(points, 0, 0)
        yield place, values
