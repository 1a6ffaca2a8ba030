"""The most that one placement of added records can change at many points, class counts being in a box.

A relaxation, so that what it says is never too little. What added records say for the class that should win
is replaced by a line below it, what they say for another by lines above it, and what class counts and
denominators say by a line each; records come in fractions, and a point may be changed in part.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.certify.linear_bounds import above, below, tangents
from securenb.certify.safe_program import Constraints, SafeProgram
from securenb.certify.worst_addition import TIE
from securenb.schema.cells import Codes
from securenb.schema.records import UNKNOWN

Places = NDArray[np.intp]

LINES = 12
"""Lines above a logarithm."""
MARGIN = 2 * TIE
"""A lead that is no larger counts as lost: ties, and what the coefficients of the program round."""


@dataclass(frozen=True, eq=False)
class Sums:
    """What a program knows of the sums.

    Attributes
    ----------
    counts
        Of the levels of all features beside each other in each class, shape (C, W); negative where noise
        made them so.
    totals
        Records of each class, shape (C,).
    starts
        Where each feature begins among the W, shape (F + 1,).
    """

    counts: NDArray[np.int64]
    totals: NDArray[np.int64]
    starts: Places
    smoothing: float

    def logs(self, row: int, most: int) -> Floats:
        """The logarithm of each smoothed count with 0 … `most` records added, shape (W, most + 1)."""
        raised = np.maximum(self.counts[row][:, None] + np.arange(most + 1), 0)
        found: Floats = np.log(raised + self.smoothing)
        return found

    def shares(self, row: int, features: Places, least: int, most: int) -> tuple[Floats, Floats]:
        """The least and the most that class count and denominators say, shapes (most - least + 1,)."""
        added = np.arange(least, most + 1)
        low = high = np.log(np.maximum(self.totals[row] + added, 0) + self.smoothing)
        for feature in features:
            counts = self.counts[row, self.starts[feature] : self.starts[feature + 1]]
            seen, pseudo = np.maximum(counts, 0).sum(), len(counts) * self.smoothing
            swallowed = np.maximum(-counts, 0).sum()  # records that negative counts take without a trace
            low = low - np.log(seen + added + pseudo)
            high = high - np.log(seen + np.maximum(added - swallowed, 0) + pseudo)
        return low, high


@dataclass(frozen=True, eq=False)
class Targets:
    """Points that are predicted right, and what changing each is worth: shapes (n, F), (n,), (n,)."""

    codes: Codes
    right: NDArray[np.int64]
    weights: Floats


@dataclass(frozen=True)
class Box:
    """The least and the most records added to each class."""

    least: tuple[int, ...]
    most: tuple[int, ...]

    def within(self, limit: int) -> "Box":
        """With the most that so many records in all classes together allow."""
        spare = limit - sum(self.least)
        most = [min(high, low + spare) for low, high in zip(self.least, self.most, strict=True)]
        return Box(self.least, tuple(most))

    def halves(self) -> tuple["Box", "Box"]:
        """Two boxes that hold the same whole numbers, cut across the longest side."""
        sides = np.subtract(self.most, self.least)
        at = int(np.argmax(sides))
        middle = self.least[at] + int(sides[at]) // 2
        lower, upper = list(self.most), list(self.least)
        lower[at], upper[at] = middle, middle + 1
        return Box(self.least, tuple(lower)), Box(tuple(upper), self.most)


class PlacementProgram:
    """The program of one box.

    Variables are records added to each class (C), to each level in each class (C·W), bounds on the logarithms
    of these (C·W), and how far each target is changed by each class that can overtake there.

    Parameters
    ----------
    limit
        The most records added, in all classes together.
    """

    def __init__(self, sums: Sums, targets: Targets, limit: int, box: Box) -> None:
        self._sums, self._targets, self._box = sums, targets, box
        self._classes, self._width = sums.counts.shape
        self._first = self._classes + 2 * self._classes * self._width
        self._owners: list[int] = []
        logs = [sums.logs(row, each) for row, each in enumerate(box.most)]
        self._start, self._end = (np.array([each[:, at] for each in logs]) for at in (0, -1))
        self._under = [below(each) for each in logs]
        at_most, equal = Constraints(), Constraints()
        for points, row, other, features in self._rivals():
            self._overtaking(at_most, points, row, other, features)
        self.owners = np.array(self._owners, dtype=np.intp)
        """Which target each variable of change belongs to."""
        self._placements(at_most, equal, logs, limit)
        gain = np.zeros(self._first + len(self.owners))
        gain[self._first :] = targets.weights[self.owners]
        self._program = SafeProgram(gain, at_most, equal)

    def most(self, fixed: dict[int, int]) -> tuple[float, Floats]:
        """A bound on what is changed, and how far the solver changes each variable, shape (variables,).

        Parameters
        ----------
        fixed
            Variables of change that are held at 0 or 1.
        """
        counts, width = self._classes * self._width, self._width
        low = [np.array(self._box.least, dtype=np.float64), np.zeros(counts), self._start.reshape(-1)]
        high = [np.array(self._box.most, dtype=np.float64), np.repeat(self._box.most, width)]
        changed = np.stack([np.zeros(len(self.owners)), np.ones(len(self.owners))])
        for variable, value in fixed.items():
            changed[:, variable] = value
        bound, x = self._program.most(
            np.concatenate([*low, changed[0]]), np.concatenate([*high, self._end.reshape(-1), changed[1]])
        )
        return bound, changed.mean(axis=0) if x is None else x[self._first :]

    def _rivals(self) -> Iterator[tuple[Places, int, int, Places]]:
        """Points of a class that lack the same features, with each class that may overtake."""
        patterns, which = np.unique(self._targets.codes == UNKNOWN, axis=0, return_inverse=True)
        for index, unknown in enumerate(patterns):
            for row in range(self._classes):
                points = np.flatnonzero((which.reshape(-1) == index) & (self._targets.right == row))
                for other in set(range(self._classes)) - {row} if len(points) else ():
                    yield points, row, other, np.flatnonzero(~unknown)

    def _overtaking(
        self, at_most: Constraints, points: Places, row: int, other: int, features: Places
    ) -> None:
        """Changed points are those where the least lead of `row` before `other` is none."""
        box, sums, cells = self._box, self._sums, self._classes * self._width
        own, _ = sums.shares(row, features, box.least[row], box.most[row])
        _, rival = sums.shares(other, features, box.least[other], box.most[other])
        (fall, kept), (rise, taken) = below(own, box.least[row]), above(rival, box.least[other])
        at = sums.starts[features] + self._targets.codes[np.ix_(points, features)]
        slopes, intercepts = (each[at] for each in self._under[row])
        fixed = kept - taken + intercepts.sum(axis=1)
        ends = [
            (a * fall - b * rise)
            for a in (box.least[row], box.most[row])
            for b in (box.least[other], box.most[other])
        ]
        # a lead is never smaller in this box, nor larger
        least = fixed + min(ends) + np.minimum(slopes, 0).sum(axis=1) * box.most[row]
        most = fixed + max(ends) + np.maximum(slopes, 0).sum(axis=1) * box.most[row]
        least, most = least - self._end[other][at].sum(axis=1), most - self._start[other][at].sum(axis=1)
        for place in np.flatnonzero(least <= MARGIN):
            variable = self._first + len(self._owners)
            self._owners.append(int(points[place]))
            if most[place] > MARGIN:
                columns = [
                    row,
                    other,
                    *(self._classes + row * self._width + at[place]),
                    *(self._classes + cells + other * self._width + at[place]),
                    variable,
                ]
                values = [fall, -rise, *slopes[place], *-np.ones(len(features)), most[place]]
                at_most.add(columns, values, float(most[place] - fixed[place]) + MARGIN)

    def _placements(self, at_most: Constraints, equal: Constraints, logs: list[Floats], limit: int) -> None:
        """A point changes once, records have one level of a feature, logarithms are below their lines."""
        classes, width = self._classes, self._width
        order = np.argsort(self.owners, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(self.owners[order])) + 1):
            if len(group) > 1:
                at_most.add((self._first + group).tolist(), [1.0] * len(group), 1.0)
        at_most.add(range(classes), [1.0] * classes, float(limit))
        for row in range(classes):
            placed = classes + row * width
            for start, stop in zip(self._sums.starts[:-1], self._sums.starts[1:], strict=True):
                cells = range(placed + start, placed + stop)
                equal.add([row, *cells], [-1.0] + [1.0] * len(cells), 0.0)
            for slopes, intercepts in zip(*tangents(logs[row], LINES), strict=True):
                for at in range(width):
                    columns = [classes * (1 + width) + row * width + at, placed + at]
                    at_most.add(columns, [1.0, -slopes[at]], float(intercepts[at]))
