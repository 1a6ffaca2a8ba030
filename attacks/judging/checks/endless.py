"""No row makes a rule hang."""

from collections.abc import Iterator

import numpy as np

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.rules import Rule, honest


class Endless(Check):
    """Rows on which iterations are slow to converge: the output does not matter, the end does."""

    kind = "rules"
    concerns = "robustness"

    def run(self, subject: Rule, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        rows = honest(effort.rng(), 10)
        cases = {
            "all rows equal": np.ones((10, 4)),
            "half of the rows at one place, half at another": np.repeat([[0.0] * 4, [1.0] * 4], 5, axis=0),
            "a row at 10^300": np.concatenate([rows, [[1e300] * 4]]),
            "rows of 10^-310": rows * 1e-310,
            "a row of NaN": np.concatenate([rows, [[np.nan] * 4]]),
        }
        for case, given in cases.items():
            answer = subject.combine(given)
            if answer.ended is Outcome.HANGS or (answer.ended is not None and answer.said.startswith("died")):
                yield Found(case, answer.ended, answer.said, runs=1)
            else:
                yield Found(case, Outcome.RIGHT, "it ends", runs=1)
