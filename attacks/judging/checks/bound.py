"""A rule refuses more malicious rows than it can withstand."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.rules import ROWS, Rule, honest


class Bound(Check):
    """No rule withstands half of the rows, nor more than it claims: such an f is refused."""

    kind = "rules"
    concerns = "robustness"

    def run(self, subject: Rule, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        claimed = subject.tolerance(ROWS)
        if claimed == 0 or not subject.takes_f:
            said = "claims to withstand no number" if claimed == 0 else "is told no number"
            yield Found("", Outcome.NOT_APPLICABLE, f"it {said} of malicious rows")
            return
        cases = {f"f = {ROWS // 2 + 1} of {ROWS}": (ROWS, ROWS // 2 + 1), "f = 2 of 4": (4, 2)}
        if claimed is not None:
            cases = {f"f = {claimed + 1} of {ROWS}, one beyond its bound": (ROWS, claimed + 1)} | cases
        for case, (n, f) in cases.items():
            answer = subject.combine(honest(effort.rng(), n), f)
            if answer.ended is None:
                yield Found(case, Outcome.WRONG, "accepted", runs=1)
            else:
                yield Found(case, answer.ended, answer.said, runs=1)
