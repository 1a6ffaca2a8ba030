"""The coordinate-wise median of the parameters of each row."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.columns import medians
from securenb.robust.points import Points


@dataclass(frozen=True)
class Median(PointRule):
    """Each parameter is the median over the rows that define it (the SECRYPT 2022 paper's open question).

    A row defines the parameters of a class only if it holds records of that class. Skipping the others
    is what keeps the median alive when most nodes lack most classes. Probabilities are taken as they
    are: a median is the same on any monotone scale. They are rescaled to add to one afterwards. Those of
    the classes are averaged, see `securenb.robust.centre_rule.with_average_classes`.
    """

    by_coordinate: ClassVar[bool] = True
    norm: ClassVar[float] = np.inf

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`: the median lies between honest values."""
        return 1.0

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        if points.defined.all():
            return medians(points.values)
        middle: Floats = np.nanmedian(np.where(points.defined, points.values, np.nan), axis=0)
        return middle
