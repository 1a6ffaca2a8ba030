"""What a client sends is not its vector, nor its vector with one number added to all of it."""

from collections.abc import Iterator
from typing import Any

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.sums import LENGTH, Scheme, Summed, between


class InTheClear(Check):
    """No client's message is its own vector, or moved by the same in every coordinate."""

    kind = "sums"
    concerns = "confidentiality"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        case = "what the server receives"
        # what is negative could be sent as it is, and look like another number of a ring
        rng, low = effort.rng(), max(0, subject.lowest)
        vectors = [[between(low, subject.highest // 3 + low, rng) for _ in range(LENGTH)] for _ in range(3)]
        answer = subject.run(vectors)
        if answer.ended is not None:
            yield Found(case, answer.ended, answer.said, runs=1)
            return
        summed: Summed = answer.given
        if summed.sent is None:
            yield Found(case, Outcome.NOT_APPLICABLE, "the adapter does not give what clients send")
        elif any(_told(message, vector) for message, vector in zip(summed.sent, vectors, strict=False)):
            yield Found(
                case, Outcome.OPENED, "a client sends its vector, or how its coordinates differ", runs=1
            )
        else:
            yield Found(case, Outcome.RIGHT, "no vector", runs=1)


def _told(message: Any, vector: list[int]) -> bool:
    """Whether a message is a vector, moved by one number."""
    if not isinstance(message, list) or len(message) != len(vector):
        return False
    try:
        return len({part - value for part, value in zip(message, vector, strict=True)}) == 1
    except TypeError:
        return False
