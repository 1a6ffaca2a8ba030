"""Gradient against a calibrated sum: descent through the weights that public records give to features."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.poisons.gradient import Gradient
from attacks.poisons.worst_records import WorstRecords
from attacks.toolkit.adam import Adam, temperature
from attacks.toolkit.calibrated import Calibration
from attacks.toolkit.descent import Sums
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.judge import Judge
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.rehearsal import Rehearsal
from securenb.robust.rules.calibrated_sum import CalibratedSum

DRAWS = 6
"""Draws of noise that descent goes through in turn, and that forgeries are tried in."""


@dataclass(frozen=True)
class GradientCalibrated(Poison):
    """White-box attack on `calibrated_sum` within invariants and cap.

    Bilevel (Biggio, Nelson and Laskov 2012): the weights of features are fitted to public records after the
    sum is opened, and move with it as the implicit function theorem says (Mei and Zhu 2015, "Using Machine
    Teaching to Identify Optimal Training-Set Attacks"). Begins at misleading records, and at what `gradient`
    sends; what is worst under the true rule is sent. Against every other rule it is `gradient`.

    Uses the schema, own statistics and records, the sum of the honest nodes that it sees, the rule with its
    public records, the cap, and the law of the noise.

    Parameters
    ----------
    steps
        Of descent, from each start.
    records
        The most of one's own records to judge on.
    """

    steps: int = 100
    records: int = 1200

    against_rule: ClassVar[bool] = True

    def brief(self) -> Self:
        """See `Poison.brief`."""
        return replace(self, steps=5, records=60)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        rule, bad = known.rule, len(known.own)
        sender = Gradient(starts=1, steps=self.steps * 3 // 2, records=self.records)
        first = sender.forge(known, rng)[0]
        if not isinstance(rule, CalibratedSum):
            return [first] * bad
        rehearsal = Rehearsal(known, self.records, DRAWS, rng, noisy=self.noisy)
        sums = Sums.of(known.schema)
        calibration, free = Calibration(sums, rule), FreeTables(sums, known.cap)
        judge = Judge(sums, rehearsal.records)
        background = known.honest_sum[None] + known.noise_draws(DRAWS, rng)
        misleading = into_invariants(known.schema, WorstRecords().forge(known, rng)[0], known.cap)
        given = [misleading, into_invariants(known.schema, first, known.cap)]
        found = list(given)
        for start in given:
            at, adam = free.near(start)[None], Adam((1, free.size), 0.15, self.steps)
            weights, best = calibration.start(), (2.0, start)
            for step in range(self.steps):
                tables, kept = free.tables(at)
                total = background[step % len(background)] + bad * tables[0]
                heat = temperature(step, self.steps, 2.0)
                score, by_total, fit = calibration.descent(judge, total, weights, heat, 2 if step else 12)
                weights = fit.at
                # of noisy rounds each is luck: the last third, which is nearly settled, is what is compared
                if step > 2 * self.steps // 3 and score < best[0]:
                    best = (score, into_invariants(known.schema, np.rint(tables[0]), known.cap))
                at = adam.moved(at, free.back(bad * by_total[None], kept))
            last = into_invariants(known.schema, np.rint(free.tables(at)[0][0]), known.cap)
            found += [best[1], last]
        scores = [rehearsal.score([table] * bad) for table in found]
        return [found[int(np.argmin(scores))]] * bad
