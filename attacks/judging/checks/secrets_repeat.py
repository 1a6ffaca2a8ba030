"""What a client sends of the same number differs from run to run, and from coordinate to coordinate."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.outcome import Outcome
from attacks.judging.sums import LENGTH, Scheme, Summed


class SecretsRepeat(Check):
    """Masks and random bits are fresh: where they return, messages tell how a vector changed."""

    kind = "sums"
    concerns = "confidentiality"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        case = "the same vectors twice"
        vectors = subject.vectors(3, effort.rng())
        answers = [subject.run(vectors) for _ in range(2)]
        for answer in answers:
            if answer.ended is not None:
                yield Found(case, answer.ended, answer.said, runs=2)
                return
        summed: list[Summed] = [answer.given for answer in answers]
        one, other = (each.sent for each in summed)
        if one is None or other is None:
            yield Found(case, Outcome.NOT_APPLICABLE, "the adapter does not give what clients send")
            return
        same = [at for at, (first, second) in enumerate(zip(one, other, strict=False)) if first == second]
        if same:
            yield Found(case, Outcome.OPENED, f"client {same[0]} sends the same again", runs=2)
        else:
            yield Found(case, Outcome.RIGHT, "every message is another", runs=2)
        vectors = [[max(0, subject.lowest)] * LENGTH] * 3
        answer = subject.run(vectors)
        case = "a vector of equal numbers"
        if answer.ended is not None:
            yield Found(case, answer.ended, answer.said, runs=1)
            return
        messages = answer.given.sent or []
        parts = [part for part in messages if isinstance(part, list) and len(part) == LENGTH]
        if not parts:
            yield Found(case, Outcome.NOT_APPLICABLE, "what clients send has no part for each coordinate")
        elif any(all(part == message[0] for part in message) for message in parts):
            yield Found(case, Outcome.OPENED, "every coordinate is sent alike", runs=1)
        else:
            yield Found(case, Outcome.RIGHT, "coordinates are sent differently", runs=1)
