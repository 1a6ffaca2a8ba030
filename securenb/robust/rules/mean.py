"""The mean of the parameters of each row: what averages models, and robust to nothing on its own."""

from dataclasses import dataclass
from typing import ClassVar

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points, checked


@dataclass(frozen=True)
class Mean(PointRule):
    """Every row counts the same, however many records it has. With `clip` or `nnm` before it, it resists."""

    fewest: ClassVar[int] = 1

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`: with something before it, as many as that withstands."""
        return 0 if not self.before else (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`."""
        return 1.0

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        mean: Floats = checked(points.imputed(), 0, 0).mean(axis=0)
        return mean
