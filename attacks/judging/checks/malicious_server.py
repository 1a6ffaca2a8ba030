"""A server that names two lists of survivors, or hands out keys of its own, must not open a vector."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.sums import Scheme, tampered


class MaliciousServer(Check):
    """Where a scheme has such stages, its clients refuse, or nothing of one client is opened."""

    kind = "sums"
    concerns = "confidentiality"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        yield from tampered(subject, ("two survivor lists", "swapped key"), effort.rng())
