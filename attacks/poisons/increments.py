"""Increments: the votes that proofs accept and that hurt a staircase sum most, found by descent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.poisons.gradient import Gradient
from attacks.poisons.heavy_flip import HeavyFlip
from attacks.poisons.worst_records import WorstRecords
from attacks.toolkit.descent import Sums
from attacks.toolkit.extremes import Ends, worst
from attacks.toolkit.judge import Judge
from attacks.toolkit.votes import VoteGame
from securenb.bayes.parameters import Floats
from securenb.robust.rules.staircase import Staircase
from securenb.schema.increments import Increments as Layout
from securenb.schema.records import Records

DRAWS = 6
"""Draws of noise that are averaged over."""
HOTTEST, COLDEST = 3.25, 0.25
"""Temperatures of the soft accuracy, from a slope that every record has to one near the decision."""


@dataclass(frozen=True)
class Increments(Poison):
    """White-box attack on staircase sums, in increments that proofs accept.

    They need not fill up from below, so a rate is raised by the columns that matter alone, and lowered
    for nothing; but all features of a class hold equally many records, at most the quota, so that not
    every rate can be raised. Frank and Wolfe's (1956) descent on the soft balanced accuracy of the
    malicious nodes' records, averaged over noise whose law they know: each step puts every feature's
    records where they harm most. It begins with nothing, flipped labels, misleading records, and the ends
    of cells that are worst without a quota. Against other rules it is `gradient`.

    Parameters
    ----------
    records
        The most of one's own records to judge on.
    steps
        Of the descent, from each start.
    """

    records: int = 2000
    steps: int = 25

    against_rule: ClassVar[bool] = True

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`: increments, where the rule sums them."""
        layout = known.layout
        if not isinstance(known.rule, Staircase) or not isinstance(layout, Layout):
            return Gradient().forge(known, rng)
        records = self.judged(known, rng)
        game = VoteGame.of(known, layout, known.rule.tolerate, DRAWS, rng)
        judge = Judge(Sums.of(layout.base), records)
        tables = [poison.forge(known, rng)[0] for poison in (HeavyFlip(), WorstRecords())]
        starts = [layout.expanded(layout.within(table)).astype(np.float64) for table in tables]
        ends = Ends(layout.base, game.logs(np.zeros(game.shape)), game.logs(game.full))
        up = np.repeat(worst(ends, records, rng, 1)[:, 1:], layout.steps.shape[1], axis=1)
        starts += [game.nearest(game.full * up), np.zeros(game.shape)]
        found = [*starts, *(self._descended(game, judge, start) for start in (starts[0], *starts[2:]))]
        accepted = [game.accepted(table, self._gains(game, judge, table)) for table in found]
        scores = [float(judge.hard(game.logs(table.astype(np.float64))).mean()) for table in accepted]
        return [accepted[int(np.argmin(scores))]] * len(known.own)

    def sent(self, known: Knowledge, rng: np.random.Generator) -> list[Forged]:
        """See `Poison.sent`; increments are within what proofs accept already."""
        theirs = isinstance(known.rule, Staircase) and isinstance(known.layout, Layout)
        return Poison.sent(replace(self, inside=False) if theirs else self, known, rng)

    def judged(self, known: Knowledge, rng: np.random.Generator) -> Records:
        """Where accuracy is wanted low."""
        return known.judged_on(self.records, rng)

    def _gains(self, game: VoteGame, judge: Judge, table: Floats, temperature: float = COLDEST) -> Floats:
        """What one record more in each increment takes from the soft accuracy."""
        logs = game.logs(table)
        return game.gains(table, logs, -judge.soft(logs, temperature)[1])

    def _descended(self, game: VoteGame, judge: Judge, start: Floats) -> Floats:
        """The best increments that were met on the way from a start."""
        table, best, least = start, start, np.inf
        for step in range(self.steps):
            value = float(judge.soft(game.logs(table), COLDEST)[0].mean())
            if value < least:
                best, least = table, value
            temperature = COLDEST + (HOTTEST - COLDEST) * (1 - step / self.steps) ** 2
            wanted = game.filled(self._gains(game, judge, table, temperature))
            table = table + 2 / (step + 3) * (wanted - table)
        return best
