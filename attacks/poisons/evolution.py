"""Evolution: a search without gradients, for rules that are known only by what they make of rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.poisons.alie import Alie
from attacks.poisons.heavy_flip import HeavyFlip
from attacks.poisons.min_max import MinMax
from attacks.poisons.tight_cluster import TightCluster
from attacks.poisons.worst_records import WorstRecords
from attacks.toolkit.descent import Sums
from attacks.toolkit.evolution import Evolution as _Evolution
from attacks.toolkit.forging import claimed
from attacks.toolkit.free_tables import FreeTables
from attacks.toolkit.projection import into_invariants
from attacks.toolkit.rehearsal import Rehearsal
from protocols.ring import Integers

CLAIM = 100
"""How many caps a node claims at most where no check holds it back."""
WIDTH = 0.3
"""How far the first draws are from where the search begins, in logits."""


@dataclass(frozen=True)
class Evolution(Poison):
    """Tries tables with the rule itself, whatever it is: a plug-in, an object, a model of anything.

    CMA-ES with a diagonal covariance (Ros and Hansen 2008) on tables within the invariants, and within the
    cap if it must be, beginning at the best of five known attacks. All nodes send one table. It asks the
    rule alone: where a gradient is at hand, `gradient`, `gradient_rule` and `gradient_calibrated` find more
    in less time.

    Uses the schema, own statistics and records, those of the nodes that it sees, the rule, group size and
    cap, and the law of the noise.

    Parameters
    ----------
    evaluations
        How many tables to try.
    records
        The most of one's own records to judge on.
    draws
        Rounds that a table is tried in, where noise or groups are random.
    """

    evaluations: int = 240
    records: int = 1000
    draws: int = 2

    against_rule: ClassVar[bool] = True

    def brief(self) -> Self:
        """See `Poison.brief`."""
        return replace(self, evaluations=20, records=60, draws=1)

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        rehearsal = Rehearsal(known, self.records, self.draws, rng, noisy=self.noisy)
        bad, schema = len(known.own), known.schema
        cap = known.cap if self.inside else claimed(known, CLAIM)
        free = FreeTables(Sums.of(schema), cap)

        def score(table: Integers) -> float:
            return rehearsal.score([table] * bad)

        starts = list(self._starts(known, rng, cap))
        scores = [score(table) for table in starts]
        least = min(scores)
        best = starts[scores.index(least)]
        search = _Evolution(free.near(best), WIDTH)
        for _ in range(max((self.evaluations - len(starts)) // search.population, 1)):
            points = search.asked(rng)
            tables = [
                into_invariants(schema, np.rint(table).astype(np.int64), cap)
                for table in free.tables(points)[0]
            ]
            scores = [score(table) for table in tables]
            search.told(points, np.array(scores))
            if min(scores) < least:
                least = min(scores)
                best = tables[scores.index(least)]
        return [best] * bad

    def _starts(self, known: Knowledge, rng: np.random.Generator, cap: int) -> Iterator[Integers]:
        for poison in (HeavyFlip(), WorstRecords(), TightCluster(), Alie(), MinMax()):
            try:
                yield into_invariants(known.schema, poison.forge(known, rng)[0], cap)
            except ValueError:
                # a kind of feature for which this one cannot be forged; those of records always can
                continue
