"""Whatever falls silent whenever: exact sums of those who are left, or nothing, and no party is blamed."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.drop_outs import trial
from benchmarks.evidence.claim import Claim, Result
from protocols.protocol import PROTOCOLS

NAMES = tuple(PROTOCOLS)
ROUNDS = 3
PATTERNS = -(-10_000 // (ROUNDS * len(NAMES)))
"""In one part."""


class DropOutPatterns(Claim):
    """Parts go through the protocols by turns."""

    says = (
        "Of 10,000 random patterns of silent parties, over all protocols, each opens the exact sums that it "
        "must, and none that it must not; no exception goes uncaught, and no party is blamed for silence."
    )
    code = ("protocols", "benchmarks/drop_outs.py")
    seed = 7
    parts = ROUNDS * len(NAMES)

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of patterns. A fault raises `AssertionError`."""
        name, first = NAMES[part % len(NAMES)], part // len(NAMES) * PATTERNS
        trials = range(first, first + (size or PATTERNS))
        total = sum((trial(name, self.seed, number) for number in trials), Counter[str]())
        return {what: float(count) for what, count in total.items()}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        return all(result["patterns"] > 0 for result in results)
