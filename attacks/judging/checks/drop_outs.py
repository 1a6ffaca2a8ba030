"""A client that falls silent in any stage: the sum of the others, or of all, or none."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.sums import Scheme, judged


class DropOuts(Check):
    """One of five clients falls silent, in each stage that the scheme has."""

    kind = "sums"
    concerns = "correctness"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        rng = effort.rng()
        if not subject.stages:
            yield Found("", Outcome.NOT_APPLICABLE, "it has no stages: who sends nothing is not added")
        for stage in subject.stages:
            vectors = subject.vectors(5, rng)
            answer = subject.run(vectors, silent={"stage": stage, "clients": [1]})
            yield judged(f"silent in {stage}", answer, vectors, silent=[1])
