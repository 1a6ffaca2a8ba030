"""An output moves and grows with its rows."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.rules import Rule, honest, same


class ShiftAndScale(Check):
    """Adding to all rows adds to the output, multiplying them multiplies it."""

    kind = "rules"
    concerns = "robustness"

    def run(self, subject: Rule, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        rows = honest(effort.rng())
        first = subject.combine(rows)
        if first.ended is not None:
            yield Found("11 rows", first.ended, first.said, runs=1)
            return
        yield same("10,000 more", subject.combine(rows + 1e4), first.given + 1e4, 1e-9)
        yield same("a thousandth", subject.combine(rows / 1e3), first.given / 1e3, 1e-9)
