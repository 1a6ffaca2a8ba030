"""Krum: the one row whose neighbours are nearest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.contenders import single_winner
from securenb.robust.distances import squared_distances
from securenb.robust.points import Points, checked


def krum_bound(rows: int) -> int:
    """The most malicious rows that Krum withstands: n ≥ 2f + 3."""
    return (rows - 3) // 2


def krum_scores(points: Floats, malicious: int) -> Floats:
    """Sum of the squared distances of each row to its n - f - 2 nearest others, shape (n,).

    Blanchard, El Mhamdi, Guerraoui and Stainer 2017, "Machine Learning with Adversaries", section 4.
    """
    n = len(checked(points, malicious, krum_bound(len(points))))
    squares = squared_distances(points)
    np.fill_diagonal(squares, np.inf)
    neighbours = n - malicious - 2
    # sorted, so that equal sets of distances have equal sums
    nearest = np.sort(np.partition(squares, neighbours - 1, axis=1)[:, :neighbours], axis=1)
    return np.asarray(nearest.sum(axis=1))


def krum(points: Floats, malicious: int) -> Floats:
    """The row with the smallest score, shape (d,); the first of several."""
    checked(points, malicious, krum_bound(len(points)))
    winner = single_winner(points, len(points) - malicious - 2)
    if winner is None:
        winner = int(np.argmin(krum_scores(points, malicious)))
    found: Floats = points[winner].copy()
    return found


def best(points: Floats, malicious: int, count: int) -> NDArray[np.intp]:
    """Indices of the `count` rows with the smallest scores, the first of several."""
    return np.sort(np.argsort(krum_scores(points, malicious), kind="stable")[:count])


@dataclass(frozen=True)
class Krum(PointRule):
    """The model of a single row: robust, and with the noise and the few records of one row."""

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return krum_bound(rows)

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`.

        An honest row has a score of at most n - f - 2 squared diameters. The winner's is no larger, and
        at least one of its n - f - 2 > f - 1 neighbours, or itself, is honest.
        """
        return 1.0 + float(np.sqrt(max(rows - self.malicious - 2, 1)))

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return krum(points.imputed(), self.malicious)
