"""Negative numbers, where the scheme says that it takes them."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.sums import Scheme, judged


class Negatives(Check):
    """Sums below zero, and sums of numbers of both signs, are exact."""

    kind = "sums"
    concerns = "correctness"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        if subject.lowest >= 0:
            yield Found("", Outcome.NOT_APPLICABLE, "it takes no negative numbers")
            return
        cases = {
            "a negative sum": [[-1, 0, -1], [0, 0, -1], [-1, -1, -1]],
            "both signs": [[-1, 1, -1], [1, 1, -1], [-1, -1, 1]],
        }
        for case, vectors in cases.items():
            yield judged(case, subject.run(vectors), vectors)
