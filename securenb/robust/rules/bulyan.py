"""Bulyan: Krum again and again, then a mean around the median of what it chose."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.distances import squared_distances
from securenb.robust.points import Points, checked
from securenb.robust.rules.meamed import nearest_to_median


def bulyan(points: Floats, malicious: int) -> Floats:
    """El Mhamdi, Guerraoui and Rouault 2018, "The Hidden Vulnerability of Distributed Learning", section 4.

    θ = n - 2f rows are chosen one by one, each by Krum among the rows that are left; then each
    coordinate is the mean of the θ - 2f chosen values that are nearest to their median. Shape (d,).
    """
    n = len(checked(points, malicious, (len(points) - 3) // 4))
    chosen = choose(squared_distances(points), malicious, n - 2 * malicious)
    return nearest_to_median(points[chosen], n - 4 * malicious)


def choose(squares: Floats, malicious: int, count: int) -> NDArray[np.intp]:
    """Indices of the rows that Krum chooses one by one, in the order of the rows.

    When a row leaves, the neighbourhood of each other row loses one member: the row that left, if it
    was a neighbour, else the farthest one. So the neighbours of a row are always the first that are
    left in its order of distance, and a score changes by one subtraction. Subtraction rounds; every
    score that might be the smallest is summed anew before it is believed.

    Parameters
    ----------
    squares
        Squared distances, shape (n, n).
    """
    n = len(squares)
    distances = squares.copy()
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")
    ordered = np.take_along_axis(distances, order, axis=1)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(n), (n, n)), axis=1)
    rows = np.arange(n)
    last = np.full(n, n - malicious - 3)
    """Place of each row's farthest neighbour in its order."""
    score = ordered[:, : n - malicious - 2].sum(axis=1)
    error = score * (n * np.finfo(np.float64).eps)
    left = np.ones(n, dtype=np.bool_)
    chosen = []
    for _ in range(count):
        alive = np.flatnonzero(left)
        doubtful = alive[score[alive] - error[alive] <= (score[alive] + error[alive]).min()]
        for row in doubtful:
            members = left[order[row, : last[row] + 1]]
            score[row] = ordered[row, : last[row] + 1][members].sum()
            error[row] = score[row] * (n * np.finfo(np.float64).eps)
        winner = int(doubtful[np.argmin(score[doubtful])])
        chosen.append(winner)
        left[winner] = False
        if not left.any() or last.max() < 0:
            continue
        near = rank[:, winner] <= last
        gone = np.where(near, distances[:, winner], ordered[rows, np.maximum(last, 0)])
        gone[winner] = 0.0
        before = score
        score = np.where(left & (last >= 0), score - gone, score)
        error += np.finfo(np.float64).eps * (np.abs(before) + np.abs(score))
        last = np.where(near & (rank[:, winner] < last), last, last - 1)
        last = _back(left, order, last)
    return np.sort(np.array(chosen, dtype=np.intp))


def _back(left: NDArray[np.bool_], order: NDArray[np.intp], last: NDArray[np.intp]) -> NDArray[np.intp]:
    """Places moved towards the front until they hold a row that is left; -1 if there is none."""
    rows = np.arange(len(order))
    while True:
        stale = (last >= 0) & ~left[order[rows, np.maximum(last, 0)]]
        if not stale.any():
            return last
        last = last - stale


@dataclass(frozen=True)
class Bulyan(PointRule):
    """Stops what hides in one coordinate from Krum's distances; needs n ≥ 4f + 3."""

    norm: ClassVar[float] = np.inf

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 3) // 4

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`.

        Krum's promise does not hold for the last of the n - 2f choices, made among 2f + 1 rows; so all f
        malicious rows may be chosen. They are still fewer than half: the median lies between honest
        values, and all that are kept lie within one diameter of it.
        """
        return 2.0

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return bulyan(points.imputed(), self.malicious)
