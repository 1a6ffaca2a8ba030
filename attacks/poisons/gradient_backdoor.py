"""Optimised backdoor: the trigger of `backdoor`, all else within the cap chosen to make it work."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from attacks.poison import Forged, Knowledge
from attacks.poisons.backdoor import Backdoor as _Backdoor
from attacks.toolkit.descent import Sums
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.judge import Judge
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.rehearsal import Rehearsal
from attacks.toolkit.sum_game import SumGame

DRAWS = 4
"""Draws of noise that are averaged over."""


@dataclass(frozen=True)
class GradientBackdoor(_Backdoor):
    """Descends on how many of its own records, with the trigger in them, are predicted as the target.

    The trigger is that of `backdoor`, chosen before anything is known. Every table within the invariants
    and the cap may be sent: in the target class values that the others are known by, in the other classes
    records without the trigger. Begins at the plain backdoor and at random; the rule itself says which is
    best. The trigger attack of Gu, Dolan-Gavitt and Garg (2017), bilevel as in Biggio, Nelson and Laskov
    (2012).

    Uses the schema, own statistics and records, the sum of the honest nodes that it sees, the rule, group
    size and cap, and the law of the noise.

    Parameters
    ----------
    steps
        Of descent.
    records
        The most of one's own records to judge on.
    """

    steps: int = 250
    records: int = 1200

    def brief(self) -> Self:
        """See `Poison.brief`."""
        return replace(self, steps=10, records=60)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        schema, sums, bad = known.schema, Sums.of(known.schema), len(known.own)
        triggered = self.wanted(schema, known.judged_on(self.records, rng))
        plain = [into_invariants(schema, table, known.cap) for table in super().forge(known, rng)]
        if not len(triggered):
            return plain
        free = FreeTables(sums, known.cap)
        background = known.honest_sum[None] + known.noise_draws(DRAWS, rng)
        game = SumGame(sums, free, Judge(sums, triggered), background, bad, known.rule.smoothing, wanted=True)
        full = into_invariants(schema, plain[0] * known.cap, known.cap)
        starts = [free.near(full), free.near(plain[0]), rng.normal(0.0, 1.0, free.size)]
        found = game.descend(np.array(starts), self.steps)
        tables = [full, *(into_invariants(schema, table, known.cap) for table in np.rint(found))]
        sent = [plain, *([table] * bad for table in tables)]
        rehearsal = Rehearsal(known, triggered, DRAWS, rng, noisy=self.noisy)
        models = [rehearsal.score(each) for each in sent]
        # a refused model predicts nothing
        return sent[int(np.argmax([score if score <= 1 else -1.0 for score in models]))]
