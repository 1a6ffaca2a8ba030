"""Malicious rows up to what a rule withstands do not carry its output away."""

from collections.abc import Iterator

import numpy as np

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.rules import MALICIOUS, ROWS, WIDTH, Rule, held, honest


class Breakdown(Check):
    """Two of 11 rows, and as many as the rule claims to withstand, lie far away, on one side or on both."""

    kind = "rules"
    concerns = "robustness"

    def run(self, subject: Rule, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        claimed = subject.tolerance(ROWS)
        for f in sorted({MALICIOUS if claimed is None else min(MALICIOUS, claimed), claimed or 0} - {0}):
            for case, far in {
                "a million": [1e6],
                "both sides": [1e12, -1e12],
                "50": [50.0],
                "10^200": [1e200],
            }.items():
                rows = honest(effort.rng())
                rows[ROWS - f :] = np.resize(far, f)[:, None] * np.ones(WIDTH)
                yield held(f"{f} of {ROWS} rows at {case}", subject.combine(rows, f))
        if claimed == 0:
            yield Found("", Outcome.NOT_APPLICABLE, "it claims to withstand no malicious row")
