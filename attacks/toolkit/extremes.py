"""Which end of each cell's interval hurts most: the attack on rules that bound every cell apart.

A rule of which malicious nodes can move each cell's log-rate between two ends, whatever they do in other
cells, leaves them one choice a cell: the lower end or the upper one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attacks.toolkit.descent import Sums
from attacks.toolkit.judge import Judge
from securenb.bayes.parameters import Floats
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema

Ups = NDArray[np.bool_]
"""Whether each cell is at its upper end, shape (C, width)."""

HOTTEST, COLDEST = 3.25, 0.25
"""Temperatures of the soft accuracy, from a slope that every record has to one near the decision."""
SHARP = 0.15
"""The temperature of the flips that follow."""
RATE, FIRST_MOMENT, SECOND_MOMENT = 0.2, 0.9, 0.99


@dataclass(frozen=True, eq=False)
class Ends:
    """What malicious nodes can make of each cell.

    Attributes
    ----------
    schema
        Of the model; every feature has levels.
    low, high
        Log-rates at either end, for k draws of the noise, shape (k, C, width); column 0, of the class counts,
        is what is added to every record.
    """

    schema: Schema
    low: Floats
    high: Floats

    def scores(self, up: Ups | Floats) -> Floats:
        """Log-rates with some cells up, or part of the way up, shape (k, C, width)."""
        found: Floats = self.low + (self.high - self.low) * up
        return found


def worst(ends: Ends, records: Records, rng: np.random.Generator, starts: int = 2, steps: int = 80) -> Ups:
    """The choice that leaves the least balanced accuracy on `records`, in the mean over the draws of noise.

    Descends from random starts (Adam; Kingma and Ba 2015) on the soft accuracy, with every cell part of the
    way up; then flips single cells, and the cells of a level in all classes, of the best two, as long as that
    helps.

    Parameters
    ----------
    records
        Where accuracy is wanted low: all of the attacker's records, or those of a group.
    """
    flips = _Flips(ends, records)
    begun = [*_descended(ends, records, rng, starts, steps), *_one_sided(ends)]
    tried = [flips.improved(up) for up in sorted(begun, key=flips.value)[:2]]
    return min(tried, key=lambda found: found[1])[0]


def _one_sided(ends: Ends) -> list[Ups]:
    """All evidence for one class, for each of them."""
    classes = ends.low.shape[1]
    return [
        np.repeat(np.arange(classes)[:, None] == one, ends.low.shape[2], axis=1) for one in range(classes)
    ]


def _descended(ends: Ends, records: Records, rng: np.random.Generator, starts: int, steps: int) -> list[Ups]:
    judge, span = Judge(Sums.of(ends.schema), records), ends.high - ends.low
    found = []
    for _ in range(starts):
        free = rng.normal(0.0, 0.3, ends.low.shape[1:])
        first, second = np.zeros_like(free), np.zeros_like(free)
        for step in range(steps):
            done = step / steps
            share = 0.5 * (1 + np.tanh(free / 2))
            temperature = COLDEST + (HOTTEST - COLDEST) * (1 - done) ** 2
            _, slope = judge.soft(ends.scores(share), temperature)
            gradient = (slope * span).mean(axis=0) * share * (1 - share)
            first = FIRST_MOMENT * first + (1 - FIRST_MOMENT) * gradient
            second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * gradient**2
            move = first / (1 - FIRST_MOMENT ** (step + 1))
            free = free - RATE * move / (np.sqrt(second / (1 - SECOND_MOMENT ** (step + 1))) + 1e-12)
        found.append(free > 0)
    return found


class _Flips:
    """Single cells turned as long as that lowers the soft accuracy.

    Parameters
    ----------
    records
        What is judged on; each class counts alike.
    """

    def __init__(self, ends: Ends, records: Records) -> None:
        self._ends, self._labels = ends, records.labels.astype(np.intp)
        present = np.bincount(self._labels, minlength=ends.low.shape[1])
        self._shares = 1.0 / present[self._labels] / (present > 0).sum()
        self._columns: list[tuple[int, NDArray[np.intp]]] = []
        for columns, codes in zip(ends.schema.columns, records.codes.T, strict=True):
            for level in range(columns.stop - columns.start):
                having = np.flatnonzero((codes == level) & (codes != UNKNOWN))
                if len(having):
                    self._columns.append((columns.start + level, having))

    def value(self, up: Ups) -> float:
        """The soft accuracy of a choice."""
        return self._value(self._scores(up), np.arange(len(self._labels)))

    def improved(self, start: Ups, sweeps: int = 4) -> tuple[Ups, float]:
        """What no single flip betters, and its soft accuracy."""
        up, scores = start.copy(), self._scores(start)
        classes = len(up)
        patterns = np.eye(classes, dtype=np.bool_)
        for _ in range(sweeps):
            changed = False
            for column, having in self._columns:
                now = self._value(scores[:, :, having], having)
                others = {
                    *map(tuple, up[:, column] ^ patterns),
                    *map(tuple, patterns),
                    *map(tuple, ~patterns),
                }
                for wanted in map(np.array, sorted(others - {tuple(up[:, column])})):
                    moved = (self._ends.high - self._ends.low)[:, :, column]
                    moved = moved * (wanted.astype(float) - up[:, column])
                    other = scores[:, :, having] + moved[:, :, None]
                    value = self._value(other, having)
                    if value < now - 1e-9:
                        scores[:, :, having], now, changed = other, value, True
                        up[:, column] = wanted
            if not changed:
                break
        return up, self._value(scores, np.arange(len(self._labels)))

    def _scores(self, up: Ups) -> Floats:
        cells = self._ends.scores(up)
        scores = np.repeat(cells[:, :, :1], len(self._labels), axis=2)
        for column, having in self._columns:
            scores[:, :, having] += cells[:, :, column, None]
        return scores

    def _value(self, scores: Floats, records: NDArray[np.intp]) -> float:
        """Soft accuracy of some records, mean over draws, from scores (k, C, r)."""
        at = np.broadcast_to(self._labels[records], (len(scores), 1, len(records)))
        true = np.take_along_axis(scores, at, axis=1)[:, 0]
        rivals = scores.copy()
        np.put_along_axis(rivals, at, -np.inf, axis=1)
        margins = true - rivals.max(axis=1)
        return float(((0.5 * (1 + np.tanh(margins / (2 * SHARP)))) @ self._shares[records]).mean())
