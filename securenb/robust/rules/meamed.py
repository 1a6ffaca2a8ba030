"""The mean of the values nearest to the median, parameter by parameter."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked


def mean_around_median(points: Floats, malicious: int) -> Floats:
    """Mean of the n - f values of each coordinate that are nearest to its median, shape (d,).

    Xie, Koyejo and Gupta 2018, "Generalized Byzantine-tolerant SGD", section 4. Of values at the same
    distance the smaller is taken.
    """
    n = len(checked(points, malicious, (len(points) - 1) // 2))
    return nearest_to_median(points, n - malicious)


def nearest_to_median(points: Floats, kept: int) -> Floats:
    """Mean of the `kept` values of each coordinate that are nearest to its median, shape (d,)."""
    n = len(points)
    ordered = np.sort(points, axis=0)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    # the kept values are neighbours in order: slide until the next value above is no nearer
    start = np.zeros(points.shape[1], dtype=np.intp)
    columns = np.arange(points.shape[1])
    for _ in range(n - kept):
        after = np.minimum(start + kept, n - 1)
        nearer = ordered[after, columns] - middle < middle - ordered[start, columns]
        if not nearer.any():
            break
        start += nearer & (start + kept < n)
    place = np.arange(n)[:, None]
    return np.asarray(np.mean(ordered, axis=0, where=(place >= start) & (place < start + kept)))


@dataclass(frozen=True)
class Meamed(PointRule):
    """Works on the parameters themselves, because their mean is unbiased, and skips what is undefined.

    Where m rows define a parameter, the mean is over the m - f nearest to their median.
    """

    by_coordinate: ClassVar[bool] = True
    norm: ClassVar[float] = np.inf

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`.

        The median lies between honest values, so the n - f honest values, hence all that are kept, are
        within one diameter of it, and every honest value is within one diameter of it too.
        """
        return 2.0

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        if points.defined.all():
            return mean_around_median(points.values, self.malicious)
        centre = np.empty(points.values.shape[1])
        patterns, which = np.unique(points.defined, axis=1, return_inverse=True)
        for index, defining in enumerate(patterns.T):
            same = which == index
            centre[same] = mean_around_median(points.values[np.ix_(defining, same)], self.malicious)
        return centre
