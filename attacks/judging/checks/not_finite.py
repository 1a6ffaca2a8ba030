"""A row of NaN or infinity does not capture the output."""

from collections.abc import Iterator

import numpy as np

from attacks.judging.check import Check, Effort, Found
from attacks.judging.rules import Rule, held, honest


class NotFinite(Check):
    """One of 11 rows is NaN or infinite."""

    kind = "rules"
    concerns = "robustness"

    def run(self, subject: Rule, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        for case, value in {"a row of NaN": np.nan, "a row of infinity": np.inf}.items():
            rows = honest(effort.rng())
            rows[-1] = value
            yield held(case, subject.combine(rows))
