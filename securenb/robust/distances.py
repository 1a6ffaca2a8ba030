"""Squared distances between all rows, fast and accurate: one matrix product in float64, and a repair.

|a - b|² = |a|² + |b|² - 2a·b loses every digit when the rows are far from the origin compared with their
distances. So rows are centred first, and pairs that still lose digits are computed directly.
"""

import numpy as np

from securenb.bayes.parameters import Floats

_SAMPLE = 15
"""Rows whose median is the centre: the whole matrix's median would cost more than the product."""
_TRUSTED = 1e-6
"""A distance smaller than this share of the norms it comes from has lost too many digits."""
_CHUNK = 1 << 20
"""Floats of a block of directly computed differences."""


def origin(points: Floats) -> Floats:
    """A point among the rows, shape (d,), from which their distances lose few digits."""
    sample = points[np.linspace(0, len(points) - 1, min(len(points), _SAMPLE)).astype(np.intp)]
    return np.asarray(np.median(sample, axis=0))


def squared_distances(points: Floats) -> Floats:
    """Squared Euclidean distances, shape (n, n), symmetric, zero on the diagonal and for equal rows.

    Parameters
    ----------
    points
        Shape (n, d), float64, finite.

    Raises
    ------
    ValueError
        If a distance is too large for float64.
    """
    n, d = points.shape
    rows = points - origin(points)
    with np.errstate(over="ignore", invalid="ignore"):
        gram = rows @ rows.T
        norms = gram.diagonal().copy()
        sums = norms[:, None] + norms
        squares = sums - 2 * gram
    if not np.isfinite(squares).all():
        raise ValueError("rows are too far apart for their distances to be computed")
    left, right = np.nonzero(np.triu(squares <= _TRUSTED * sums, 1))
    step = max(1, _CHUNK // d)
    for start in range(0, len(left), step):
        i, j = left[start : start + step], right[start : start + step]
        direct = np.square(points[i] - points[j]).sum(axis=1)
        squares[i, j] = direct
        squares[j, i] = direct
    lower = np.tril_indices(n, -1)
    squares[lower] = squares.T[lower]
    np.fill_diagonal(squares, 0.0)
    return squares
