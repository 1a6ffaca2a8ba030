"""A client's message that is malformed, short, repeated or replayed must not change the sum silently."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.sums import Scheme, tampered


class Messages(Check):
    """The sum stays that of all clients or of the others, or the message is refused."""

    kind = "sums"
    concerns = "correctness"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        yield from tampered(subject, ("malformed", "short", "repeated", "replayed"), effort.rng())
