"""A party whose words are changed at random gets no wrong sum opened and no honest party blamed."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.evidence.claim import Claim, Result
from benchmarks.fuzz import carriers, trial
from protocols.protocol import PROTOCOLS

NAMES = tuple(PROTOCOLS)
ROUNDS = 5
MESSAGES = -(-100_000 // (ROUNDS * len(NAMES)))
"""In one part."""

RUNS = 1_000_000
"""More than a part has."""


class FuzzedMessages(Claim):
    """Parts go through the protocols by turns."""

    says = (
        "Of 100,000 messages of one party that were changed, cut, dropped, doubled or replayed, over all "
        "protocols, none leads to a wrong sum, to blame of an honest party or to an uncaught exception, "
        "where the protocol does not trust that party."
    )
    code = ("protocols", "attacks/deviation.py", "attacks/toolkit/messages.py", "benchmarks/fuzz.py")
    seed = 7
    parts = ROUNDS * len(NAMES)

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of messages. A fault raises `AssertionError`."""
        name, first = NAMES[part % len(NAMES)], part // len(NAMES) * RUNS
        carrying = carriers(name)
        total: Counter[str] = Counter()
        while total["messages"] < (size or MESSAGES):
            total += trial(name, self.seed, first + total["runs"], carrying)
        return {what: float(count) for what, count in total.items()}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        return all(result["messages"] > 0 for result in results)
