"""Multi-Krum: the mean of the rows whose neighbours are nearest."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.points import Points
from securenb.robust.rules.krum import best, krum_bound


def multi_krum(points: Floats, malicious: int) -> Floats:
    """Mean of the n - f - 2 rows with the smallest Krum scores, shape (d,), all weighted alike.

    Blanchard et al. 2017, section 5, leave the number open; n - f - 2 is the largest for which
    El Mhamdi, Guerraoui and Rouault 2018 prove anything.
    """
    chosen = best(points, malicious, max(len(points) - malicious - 2, 1))
    middle: Floats = points[chosen].mean(axis=0)
    return middle


@dataclass(frozen=True)
class MultiKrum(PointRule):
    """Averages what Krum finds plausible; never weighted by what a node says of its size."""

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return krum_bound(rows)

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`: n - f rows are honest, so all that are kept score as they do."""
        return 1.0 + float(np.sqrt(max(rows - self.malicious - 2, 1)))

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return multi_krum(points.imputed(), self.malicious)
