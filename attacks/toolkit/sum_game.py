"""Descent on what a sum becomes if every malicious node adds one table to it."""

from dataclasses import dataclass

import numpy as np

from attacks.toolkit.adam import Adam, temperature
from attacks.toolkit.descent import Sums, back, weighed
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.judge import Judge
from securenb.bayes.parameters import Floats

RATE = 0.15


@dataclass(frozen=True, eq=False)
class SumGame:
    """The sum that a round opens if every malicious node sends one table.

    Attributes
    ----------
    judge
        Of the models.
    background
        The honest sum with draws of noise, shape (k, C, width).
    malicious
        How many nodes send the table.
    smoothing
        Of the rule.
    wanted
        Whether the attacker wants the judge's labels to be predicted; otherwise that they are not.
    """

    sums: Sums
    free: FreeTables
    judge: Judge
    background: Floats
    malicious: int
    smoothing: float
    wanted: bool = False

    def hard(self, tables: Floats) -> Floats:
        """What the attacker wants little of, the mean over draws, of tables (s, C, width), shape (s,)."""
        scores = [
            self.judge.hard(weighed(self.sums, drawn + self.malicious * tables, self.smoothing).weights)
            for drawn in self.background
        ]
        mean: Floats = np.mean(scores, axis=0)
        return -mean if self.wanted else mean

    def descend(self, free: Floats, steps: int) -> Floats:
        """Tables (s, C, width): the best that was met from each start, by hard accuracy."""
        adam = Adam(free.shape, RATE, steps)
        best, least = self.free.tables(free)[0], np.full(len(free), np.inf)
        for step in range(steps):
            tables, kept = self.free.tables(free)
            if step % 25 == 0 or step == steps - 1:
                scores = self.hard(tables)
                better = scores < least
                best[better], least[better] = tables[better], scores[better]
            total = self.background[step % len(self.background)] + self.malicious * tables
            found = weighed(self.sums, total, self.smoothing)
            _, slope = self.judge.soft(found.weights, temperature(step, steps))
            slope = -slope if self.wanted else slope
            by_table = self.malicious * back(self.sums, total, found, slope, self.smoothing)
            free = adam.moved(free, self.free.back(by_table, kept))
        return best
