"""The order of rows does not matter, also among ties."""

from collections.abc import Iterator

import numpy as np

from attacks.judging.check import Check, Effort, Found
from attacks.judging.rules import Rule, honest, same


class Order(Check):
    """Rows in another order give the same output."""

    kind = "rules"
    concerns = "robustness"

    def run(self, subject: Rule, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        rng = effort.rng()
        rows = honest(rng)
        ties = np.concatenate([rows[:5], rows[:5], rows[6:7]])
        for case, given in {"11 rows": rows, "two of each row": ties}.items():
            first = subject.combine(given)
            if first.ended is not None:
                yield Found(case, first.ended, first.said, runs=1)
                continue
            yield same(case, subject.combine(rng.permutation(given)), first.given)
