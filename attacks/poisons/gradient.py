"""Gradient: the table within the invariants and the cap that hurts a sum most, found by descent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.poisons.heavy_flip import HeavyFlip
from attacks.poisons.worst_records import WorstRecords
from attacks.toolkit.adam import Adam, temperature
from attacks.toolkit.descent import Judge, Sums, back, weighed
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.projection import into_invariants
from securenb.bayes.parameters import Floats

RATE = 0.15
DRAWS = 8
"""Draws of noise that are averaged over."""


@dataclass(frozen=True)
class Gradient(Poison):
    """White-box attack on a sum of capped statistics.

    Descends on the soft balanced accuracy, on the malicious nodes' own records, of the model of the expected
    sum with their tables in it; class counts move too; from flipped labels, misleading records, and at random
    (Adam; Kingma and Ba 2015). Averages over draws of the noise that it knows the law of, and keeps the
    table that is worst by hard accuracy after it was made integers. The bilevel attack of Biggio, Nelson and
    Laskov (2012), where training has a closed form. Against other rules than sums it is a heuristic.

    Parameters
    ----------
    starts
        How many of the starts are random.
    steps
        Of descent.
    records
        The most of one's own records to judge on.
    """

    starts: int = 4
    steps: int = 500
    records: int = 2000

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        sums, cap = Sums.of(known.schema), known.cap
        free = FreeTables(sums, cap)
        judge = Judge(sums, known.judged_on(self.records, rng))
        given = [poison.forge(known, rng)[0] for poison in (HeavyFlip(), WorstRecords())]
        starts = [free.near(into_invariants(known.schema, table, cap)) for table in given]
        starts += list(rng.normal(0.0, 1.0, (self.starts, free.size)))
        background = known.honest_sum[None] + known.noise_draws(DRAWS, rng)
        game = _Game(sums, free, judge, background, len(known.own), known.rule.smoothing)
        found = game.descend(np.array(starts), self.steps)
        tables = [into_invariants(known.schema, table, cap) for table in (*given, *np.rint(found))]
        worst = tables[int(np.argmin(game.hard(np.array(tables, dtype=np.float64))))]
        return [worst] * len(known.own)


@dataclass(frozen=True, eq=False)
class _Game:
    """The sum that a round opens if every malicious node sends one table.

    `background` are the honest sum with draws of noise, shape (k, C, width).
    """

    sums: Sums
    free: FreeTables
    judge: Judge
    background: Floats
    malicious: int
    smoothing: float

    def hard(self, tables: Floats) -> Floats:
        """Mean balanced accuracy over all draws, of tables (s, C, width), shape (s,)."""
        scores = [
            self.judge.hard(weighed(self.sums, drawn + self.malicious * tables, self.smoothing).weights)
            for drawn in self.background
        ]
        mean: Floats = np.mean(scores, axis=0)
        return mean

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
            by_table = self.malicious * back(self.sums, total, found, slope, self.smoothing)
            free = adam.moved(free, self.free.back(by_table, kept))
        return best
