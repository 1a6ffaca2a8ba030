"""Where weighted points spread most: what filters look at."""

import numpy as np

from securenb.bayes.parameters import Floats


def widest(points: Floats, weights: Floats) -> tuple[Floats, float, Floats]:
    """The weighted mean (d,), the largest eigenvalue of the covariance, and offsets along it (n,).

    From the products of all pairs of rows, which is exact and fast where rows are fewer than coordinates.

    Parameters
    ----------
    points, weights
        Shapes (n, d) and (n,); weights are not negative and not all zero.
    """
    from scipy.linalg import eigh  # takes a while, which most commands can do without

    shares = weights / weights.sum()
    mean = shares @ points
    offsets = points - mean
    root = np.sqrt(shares)
    weighted = root[:, None] * offsets
    last = len(points) - 1
    if points.shape[1] < len(points):
        last = points.shape[1] - 1
        values, vectors = eigh(weighted.T @ weighted, subset_by_index=[last, last])
        along = offsets @ vectors[:, 0]
    else:
        values, vectors = eigh(weighted @ weighted.T, subset_by_index=[last, last])
        direction = weighted.T @ vectors[:, 0]
        length = float(np.linalg.norm(direction))
        along = offsets @ (direction / length) if length else np.zeros(len(points))
    return mean, max(float(values[0]), 0.0), along
