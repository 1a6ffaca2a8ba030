"""FilterL2: weights fall along the widest direction until nothing there is wider than its middle explains."""

import math
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked
from securenb.robust.spread import widest

NORMAL = 1.4826
"""Standard deviations in a median absolute deviation of normal values."""


def filter_l2(points: Floats, malicious: int, wide: float = 2.0) -> Floats:
    """The weighted mean of what a filter leaves, shape (d,).

    Diakonikolas, Kamath, Kane, Li, Moitra and Stewart 2017, "Being Robust (in High Dimensions) Can Be
    Practical"; as a filter of weights, Steinhardt 2018, "Robust Learning: Information Theory and Algorithms",
    chapter 2: while the variance along the widest direction is too large, each weight is multiplied by
    1 - τ / max τ, τ being a row's squared offset along it. They are told the honest variance; here it is read
    off the median absolute deviation along that very direction. At most the weight of 2f rows is taken away.

    Parameters
    ----------
    wide
        How many times the variance that its middle explains is too wide.
    """
    n = len(checked(points, malicious, (len(points) - 1) // 4))
    weights = np.ones(n)
    while True:
        mean, variance, along = widest(points, weights)
        squares = along**2
        usual = (NORMAL * float(np.median(np.abs(along - np.median(along))))) ** 2
        top = float(squares[weights > 0].max())
        after = weights * np.clip(1 - squares / top, 0.0, 1.0) if top > 0 else weights
        if variance <= wide * usual or not top > 0 or after.sum() < n - 2 * malicious:
            return mean
        weights = after


@dataclass(frozen=True)
class FilterL2(PointRule):
    """Filters rows that make one direction wide; needs n ≥ 4f + 1.

    Were only honest rows filtered away, 2f of them, more honest than malicious ones would still be left.
    Told that the honest covariance is at most σ²I, filters of this kind err by O(σ √ε) at a share ε of
    malicious rows (Diakonikolas and others 2017, for bounded second moments); read off the rows, as here, the
    variance has no such proof.

    Parameters
    ----------
    wide
        See `filter_l2`.
    """

    wide: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.wide < math.inf:
            raise ValueError(f"too wide is a finite multiple of at least 1, got {self.wide}")

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 4

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`; none: the papers bound it by the variance of honest rows."""
        return math.inf

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return filter_l2(points.imputed(), self.malicious, self.wide)
