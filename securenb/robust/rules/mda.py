"""Minimum-diameter averaging: the mean of the n - f rows that are closest together."""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.robust.centre_rule import PointRule
from securenb.robust.distances import squared_distances
from securenb.robust.points import Points, checked

MOST_BRANCHES = 200_000
"""Nodes of the search tree after which it is given up: the problem is NP-hard."""


def minimum_diameter_average(points: Floats, malicious: int) -> Floats:
    """Mean of the n - f rows whose largest distance is smallest, shape (d,).

    Rousseeuw 1985; as a rule, El Mhamdi et al. 2021. Peers go through all subsets of n - f rows. Here the
    diameter is found by bisection over the distances that occur: rows fit within t exactly if the graph
    of pairs farther apart than t has a vertex cover of at most f rows, which a search tree decides
    quickly because the degrees are large.

    Raises
    ------
    ValueError
        If the search tree grows too large.
    """
    n = len(checked(points, malicious, (len(points) - 1) // 2))
    if not malicious:
        return np.asarray(points.mean(axis=0))
    squares = squared_distances(points)
    levels = np.unique(squares[np.triu_indices(n, 1)])
    low, high = -1, len(levels) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if _cover(squares > levels[middle], malicious) is None:
            low = middle
        else:
            high = middle
    left_out = _cover(squares > levels[high], malicious)
    assert left_out is not None
    # among what the diameter allows, what is farthest from all that is kept goes too
    kept = [row for row in range(n) if not left_out >> row & 1]
    while len(kept) > n - malicious:
        totals = squares[np.ix_(kept, kept)].sum(axis=1)
        del kept[int(np.argmax(totals))]
    middle_of_kept: Floats = points[kept].mean(axis=0)
    return middle_of_kept


def _cover(edges: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], most: int) -> int | None:
    """At most `most` vertices that touch every edge, as a bit mask; `None` if there are none such."""
    neighbours = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in edges]
    budget = [MOST_BRANCHES]
    return _search(neighbours, (1 << len(edges)) - 1, most, budget)


def _search(neighbours: list[int], alive: int, most: int, budget: list[int]) -> int | None:
    budget[0] -= 1
    if budget[0] < 0:
        raise ValueError(
            f"minimum-diameter averaging was given up after {MOST_BRANCHES} branches; "
            "choose another rule, or a smaller number of malicious rows"
        )
    taken = 0
    while True:
        degrees = [((neighbours[v] & alive).bit_count(), v) for v in range(len(neighbours)) if alive >> v & 1]
        edges = sum(degree for degree, _ in degrees) // 2
        if not edges:
            return taken
        top, vertex = max(degrees, key=lambda found: (found[0], -found[1]))
        if most < 1 or edges > most * top:
            return None
        if top > most:
            # a vertex with more neighbours than may be taken must be taken itself
            alive &= ~(1 << vertex)
            taken |= 1 << vertex
            most -= 1
            continue
        single = next((v for degree, v in degrees if degree == 1), None)
        if single is None:
            break
        partner = neighbours[single] & alive
        alive &= ~partner
        taken |= partner
        most -= 1
    around = neighbours[vertex] & alive
    with_it = _search(neighbours, alive & ~(1 << vertex), most - 1, budget)
    if with_it is not None:
        return taken | with_it | 1 << vertex
    without = _search(neighbours, alive & ~around & ~(1 << vertex), most - around.bit_count(), budget)
    return None if without is None else taken | without | around


@dataclass(frozen=True)
class MinimumDiameterAveraging(PointRule):
    """The strongest promise of the rules that average a subset, at the price of a hard search."""

    def bound(self, rows: int) -> int:
        """See `PointRule.bound`."""
        return (rows - 1) // 2

    def displacement(self, rows: int) -> float:
        """See `PointRule.displacement`.

        The honest rows have the diameter D, so what is kept has at most D; it holds an honest row as
        n - f > f, and each malicious row kept is within D of that.
        """
        return 2.0

    def centre(self, points: Points) -> Floats:
        """See `PointRule.centre`."""
        return minimum_diameter_average(points.imputed(), self.malicious)
