"""The records that a certificate says are needed, put into a table and tried."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.bayes.parameters import Floats, estimate
from securenb.certify.reach import Held, reach
from securenb.schema.cells import Codes
from securenb.schema.records import UNKNOWN
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

Counts = NDArray[np.int64]

TIE = 1e-9
"""Log-odds closer than this count as a tie, and a tie as changed: rounding never certifies too much."""
AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class WorstAddition:
    """For each point the fewest records that can change its prediction, and of which kind they are.

    Attributes
    ----------
    needed
        How many, shape (n,); more than any limit where none were found.
    wrong
        The class that overtakes.
    like, unlike
        How many of that class, which raise it most, and how many of the predicted one, which lower it.
    """

    needed: Counts
    wrong: Counts
    like: Counts
    unlike: Counts

    @classmethod
    def none(cls, points: int, limit: int) -> "WorstAddition":
        """Nothing found yet."""
        zeros = [np.zeros(points, dtype=np.int64) for _ in range(3)]
        return cls(np.full(points, limit + 1, dtype=np.int64), *zeros)

    def note(self, point: int, wrong: int, like: int, unlike: int) -> None:
        """Keep this if it takes fewer records than what was found before."""
        if like + unlike < self.needed[point]:
            self.needed[point] = like + unlike
            self.wrong[point], self.like[point], self.unlike[point] = wrong, like, unlike

    def found(
        self, statistics: Statistics, codes: Codes, predicted: Counts, smoothing: float
    ) -> NDArray[np.bool_]:
        """Whether what was found changes each prediction; true where nothing was found."""
        changed = self.needed > self.like + self.unlike
        points = np.flatnonzero(~changed)
        for start in range(0, len(points), AT_ONCE):
            some = points[start : start + AT_ONCE]
            added = self.tables(statistics, codes, predicted, some, smoothing)
            table = estimate(statistics.schema, statistics.table + added, smoothing).table
            joint = _joint(statistics.schema, table, codes[some])
            at = np.arange(len(some))
            changed[some] = joint[at, predicted[some]] - joint[at, self.wrong[some]] <= 2 * TIE
        return changed

    def tables(
        self,
        statistics: Statistics,
        codes: Codes,
        predicted: Counts,
        points: NDArray[np.intp],
        smoothing: float = 1.0,
    ) -> Integers:
        """What is added for some points, within the invariants, shape (points, C, width)."""
        schema, table = statistics.schema, statistics.table
        added = np.zeros((len(points), *table.shape), dtype=np.int64)
        at = np.arange(len(points))
        for rows, counts, raising in (
            (self.wrong[points], self.like[points], True),
            (predicted[points], self.unlike[points], False),
        ):
            added[at, rows, 0] += counts
            for feature, columns, column in zip(schema.features, schema.columns, codes.T, strict=True):
                # what is unknown at a point does not matter there: any records will do
                code = np.where(column[points] == UNKNOWN, 0, column[points])
                for row in np.unique(rows):
                    some = np.flatnonzero(rows == row)
                    held = Held(int(table[row, 0]), table[row, columns], smoothing)
                    placed = reach(feature, held).addition(code[some], counts[some], most=raising)
                    added[some, row, columns] += placed
        return added


def _joint(schema: Schema, tables: Floats, codes: Codes) -> Floats:
    """The log-joint of each point under a table of its own, shape (n, C)."""
    joint: Floats = np.log(tables[:, :, 0])
    for feature, columns, code in zip(schema.features, schema.columns, codes.T, strict=True):
        known = code != UNKNOWN
        joint[known] += feature.log_density(tables[known][:, :, columns], code[known, None])
    return joint
