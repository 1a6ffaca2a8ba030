"""Sums of 3, 10 and 1,030 vectors are exact."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.sums import Scheme, judged


class Exact(Check):
    """Sums equal the plain sum, with `==`."""

    kind = "sums"
    concerns = "correctness"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        rng = effort.rng()
        for n in (3, 10, 1030):
            case = f"{n} clients"
            if n > subject.clients:
                yield Found(case, Outcome.NOT_APPLICABLE, f"run with {subject.clients} at most here")
                continue
            vectors = subject.vectors(n, rng)
            yield judged(case, subject.run(vectors), vectors)
