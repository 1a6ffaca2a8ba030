"""What a client may send at most and at least, alone, by all clients, and beyond."""

from collections.abc import Iterator

from attacks.judging.check import Check, Effort, Found
from attacks.judging.sums import LENGTH, Scheme, judged


class FullRange(Check):
    """Sums at the ends of the range are exact, or refused; they do not wrap silently."""

    kind = "sums"
    concerns = "correctness"

    def run(self, subject: Scheme, effort: Effort) -> Iterator[Found]:
        """See `Check.run`."""
        zero = max(0, subject.lowest)
        cases = {
            "one client sends the most": [[subject.highest], [zero], [zero]],
            "one client sends the least": [[subject.lowest], [zero], [zero]],
            "all clients send the most": [[subject.highest]] * 3,
            "all clients send the least": [[subject.lowest]] * 3,
            "one client sends one more than the most": [[subject.highest + 1], [zero], [zero]],
            "one client sends one less than the least": [[subject.lowest - 1], [zero], [zero]],
        }
        for case, columns in cases.items():
            vectors = [column * LENGTH for column in columns]
            yield judged(case, subject.run(vectors), vectors)
