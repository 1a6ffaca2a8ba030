"""The geometric median: the point with the smallest sum of distances to all rows."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked

_TOLERANCE = 1e-10
"""Steps this small, compared with the typical distance, end the iteration."""
_MOST_STEPS = 10_000


def geometric_median(points: Floats) -> Floats:
    """Minimiser of the sum of Euclidean distances, shape (d,).

    Weiszfeld's iteration with the repair of Vardi and Zhang 2000, "The multivariate L1-median and
    associated data depth", equation 2.6, for iterates that meet a row; and, because convergence
    towards a row is slow, a check whether the nearest row is the solution. Nothing is smoothed: an
    absolute smoothing constant turns the median into the mean on points as small as probabilities.

    Raises
    ------
    ValueError
        If it has not converged after ten thousand steps.
    """
    checked(points, 0, 0)
    origin = np.median(points, axis=0)
    points = points - origin
    unit = float(np.abs(points).max())
    if unit == 0:
        return np.asarray(origin)
    # far from the origin an iterate is only as fine as its own floats, and would never come to rest
    return np.asarray(origin + unit * _near_the_origin(points / unit))


def _near_the_origin(points: Floats) -> Floats:
    """See `geometric_median`; the coordinate-wise median is 0, the largest coordinate 1."""
    centre = np.zeros(points.shape[1])
    scale = float(np.median(np.linalg.norm(points, axis=1)))
    for _ in range(_MOST_STEPS):
        offsets = points - centre
        distances = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
        nearest = int(np.argmin(distances))
        if _is_solution(points, points[nearest]):
            return np.array(points[nearest])
        away = distances > 0
        weights = 1 / distances[away]
        pull = weights @ offsets[away]
        met = len(points) - int(away.sum())
        strength = float(np.linalg.norm(pull))
        share = max(0.0, 1 - met / strength) if met else 1.0
        step = share * pull / weights.sum()
        centre = centre + step
        if float(np.linalg.norm(step)) <= _TOLERANCE * scale:
            return np.asarray(centre)
    raise ValueError(f"the geometric median has not converged after {_MOST_STEPS} steps")


def _is_solution(points: Floats, candidate: Floats) -> bool:
    """Whether no direction leads from `candidate`, one of the rows, to a smaller sum of distances."""
    offsets = points - candidate
    distances = np.sqrt(np.einsum("ij,ij->i", offsets, offsets))
    away = distances > 0
    pull = (1 / distances[away]) @ offsets[away]
    return float(np.linalg.norm(pull)) <= len(points) - int(away.sum())


@dataclass(frozen=True)
class GeometricMedian(PointRule):
    """Needs no f to work, and bends less than a coordinate-wise median where coordinates hang together."""

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`: Lemma 24 of Cohen et al. 2016, around any honest row."""
        return 2.0 * (rows - self.malicious) / (rows - 2 * self.malicious)

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return geometric_median(points.imputed())
