"""Gradient: the table within the invariants and the cap that hurts a sum most, found by descent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.poisons.heavy_flip import HeavyFlip
from attacks.poisons.worst_records import WorstRecords
from attacks.toolkit.descent import Sums
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.judge import Judge
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.sum_game import SumGame

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

    def brief(self) -> Self:
        """See `Poison.brief`."""
        return replace(self, starts=1, steps=10, records=60)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        sums, cap = Sums.of(known.schema), known.cap
        free = FreeTables(sums, cap)
        judge = Judge(sums, known.judged_on(self.records, rng))
        given = [poison.forge(known, rng)[0] for poison in (HeavyFlip(), WorstRecords())]
        starts = [free.near(into_invariants(known.schema, table, cap)) for table in given]
        starts += list(rng.normal(0.0, 1.0, (self.starts, free.size)))
        background = known.honest_sum[None] + known.noise_draws(DRAWS, rng)
        game = SumGame(sums, free, judge, background, len(known.own), known.rule.smoothing)
        found = game.descend(np.array(starts), self.steps)
        tables = [into_invariants(known.schema, table, cap) for table in (*given, *np.rint(found))]
        worst = tables[int(np.argmin(game.hard(np.array(tables, dtype=np.float64))))]
        return [worst] * len(known.own)
