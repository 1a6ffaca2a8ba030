"""CAF, the covariance-bound agnostic filter: weights fall along the widest direction of the rows."""

import math
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked
from securenb.robust.spread import widest


def covariance_agnostic_filter(points: Floats, malicious: int) -> Floats:
    """The weighted mean with the smallest largest variance that is met, shape (d,).

    Allouah, Guerraoui and Stephan 2025, "Towards Trustworthy Federated Learning with Untrusted Participants",
    the algorithm CAF: weights start at one; while they add up to more than n - 2f, each is multiplied by
    1 - τ / max τ, where τ is a row's squared offset along the widest direction. Unlike there, the maximum is
    over rows that still have weight: each pass leaves out one at least, so that there are at most n passes
    whatever was sent, and they take coarser steps.
    """
    n = len(checked(points, malicious, (len(points) - 1) // 2))
    weights, best, least = np.ones(n), np.asarray(points.mean(axis=0)), math.inf
    while weights.sum() > n - 2 * malicious:
        mean, variance, along = widest(points, weights)
        squares = along**2
        if variance < least:
            best, least = mean, variance
        # what has no weight left does not say how far the others are out
        top = float(squares[weights > 0].max())
        if not top > 0:
            break
        weights = weights * np.clip(1 - squares / top, 0.0, 1.0)
    return best


@dataclass(frozen=True)
class CAF(PointRule):
    """Filters without being told how far honest rows spread; needs n > 2f."""

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`; none: the paper bounds it by the variance of honest rows."""
        return math.inf

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return covariance_agnostic_filter(points.imputed(), self.malicious)
