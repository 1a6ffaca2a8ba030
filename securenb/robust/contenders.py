"""Which rows can have the smallest Krum score, found in single precision with bounds on its rounding.

The matrix product of all pairs takes nearly all the time of Krum, and half of it in single precision. Bounds
on what rounding can do leave a few rows that may win; those alone are scored in double precision, with bounds
again. Only a single row that is left is believed: double precision throughout chooses it too.
"""

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.robust.distances import origin

_CHUNK = 2500
"""Coordinates summed in single precision before double precision takes over: the error grows with them."""
_WORTH = 10**9
"""Multiplications below which it is not worth while."""
_FEW = 16
"""Rows that are scored again, at most."""
_SINGLE, _DOUBLE = (float(np.finfo(kind).eps) for kind in (np.float32, np.float64))
_SMALL = float(2.0**-120)
"""More than what a product loses where single precision underflows."""


def single_winner(points: Floats, neighbours: int) -> int | None:
    """The row with the least sum of squared distances to its nearest others; `None` if that is uncertain.

    Parameters
    ----------
    points
        Shape (n, d), float64, finite.
    neighbours
        How many of the others count, from 1 to n - 1.
    """
    n, d = points.shape
    if n * n * d < _WORTH:
        return None
    middle, single = origin(points), np.empty((n, d), dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        np.subtract(points, middle, out=single, casting="same_kind")
        gram = np.zeros((n, n))
        for start in range(0, d, _CHUNK):
            part = single[:, start : start + _CHUNK]
            gram += part @ part.T
        norms = gram.diagonal().copy()
        # Higham 2002, section 3.1, in whatever order a product is summed; of norms too, and a margin of two
        relative = 4 * ((min(_CHUNK, d) + 4) * _SINGLE + (d + n) * _DOUBLE)
        lost = d * _SMALL * (1 + float(np.sqrt(norms.max())))
        alive = _contenders(norms, gram, relative, lost, neighbours, np.arange(n))
        if len(alive) == 1 or not 1 <= len(alive) <= _FEW:
            return int(alive[0]) if len(alive) == 1 else None
        rows = points - middle
        norms, gram = np.einsum("ij,ij->i", rows, rows), rows[alive] @ rows.T
        again = _contenders(norms, gram, 8 * (d + n) * _DOUBLE, 0.0, neighbours, alive)
    return int(alive[again[0]]) if len(again) == 1 else None


def _contenders(
    norms: Floats, gram: Floats, relative: float, lost: float, neighbours: int, rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Places among `rows`, whose products with all are in `gram`, that may win; none if bounds overflow."""
    errors = norms[rows, None] + norms
    middle = errors - 2 * gram
    errors *= relative
    errors += lost
    ends = []
    for bound in (middle - errors, middle + errors):
        bound[np.arange(len(rows)), rows] = np.inf
        bound.partition(neighbours - 1, axis=1)
        ends.append(bound[:, :neighbours].sum(axis=1))
    least, most = ends
    if not np.isfinite(norms).all() or not (np.isfinite(least) & np.isfinite(most)).all():
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(least <= most.min())
