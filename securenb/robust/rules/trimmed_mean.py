"""The mean of each parameter without the f smallest and the f largest."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.columns import trimmed_means
from securenb.robust.points import Points


@dataclass(frozen=True)
class TrimmedMean(PointRule):
    """Yin, Chen, Ramchandran and Bartlett 2018, "Byzantine-Robust Distributed Learning", definition 2.

    It works on the parameters themselves, because their mean is unbiased, and skips what is undefined.

    Where m rows define a parameter, the mean is over the middle m - 2f.
    """

    by_coordinate: ClassVar[bool] = True
    norm: ClassVar[float] = np.inf

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`: every value that is averaged lies between honest values."""
        return 1.0

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        if points.defined.all():
            return trimmed_means(points.values, self.malicious)
        ordered = np.sort(np.where(points.defined, points.values, np.inf), axis=0)
        place = np.arange(len(ordered))[:, None]
        inner = (place >= self.malicious) & (place < points.defined.sum(axis=0) - self.malicious)
        middle: Floats = np.mean(ordered, axis=0, where=inner)
        return middle
