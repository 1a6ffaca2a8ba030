"""Centred clipping: the mean of rows that are pulled towards a robust starting point."""

import math
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked


def centered_clipping(points: Floats, radius: float | None = None, steps: int = 3) -> Floats:
    """Centre v, shape (d,), after `steps` times v += mean of (xᵢ - v) · min(1, radius / |xᵢ - v|).

    Karimireddy, He and Jaggi 2021, "Learning from History for Byzantine Robust Optimization",
    equation 15. Their v starts at the round before; here there is only one round, so it starts at the
    coordinate-wise median, and nothing is remembered. A radius that is not given is in each step the
    median distance to v, so that the result follows rows that are translated or scaled.
    """
    checked(points, 0, 0)
    centre = np.median(points, axis=0)
    for _ in range(steps):
        offsets = points - centre
        distances = np.linalg.norm(offsets, axis=1)
        limit = float(np.median(distances)) if radius is None else radius
        weights = np.minimum(1.0, limit / np.where(distances > 0, distances, 1.0))
        centre = centre + weights @ offsets / len(points)
    return np.asarray(centre)


@dataclass(frozen=True)
class CenteredClipping(PointRule):
    """Uses all rows, each within a bounded distance.

    Parameters
    ----------
    radius, steps
        See `centered_clipping`.
    """

    radius: float | None = None
    steps: int = 3

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`: of the median it starts from, and of the median distance."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`; none if the radius is given, which then may be anything.

        A coordinate-wise median is within √(n - f - 1) diameters of an honest row, since each of its
        coordinates is no farther off than some honest row's. In a step, honest rows pull the centre to
        points between it and themselves; malicious ones move it by f / n of the median distance.
        """
        if self.radius is not None:
            return math.inf
        start = math.sqrt(max(rows - self.malicious - 1, 1))
        return start * (1 + self.malicious / rows) ** self.steps

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return centered_clipping(points.imputed(), self.radius, self.steps)
