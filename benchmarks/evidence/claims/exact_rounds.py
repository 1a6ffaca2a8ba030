"""Rounds with drop-outs at every stage equal the plain sum, bit for bit."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.evidence.claim import Claim, Result
from benchmarks.exactness import trial

TRIALS = 250


class ExactRounds(Claim):
    """10,000 random rounds of double masking."""

    says = (
        "Whatever drops out, a double-masked round opens exactly the sums that it must, or aborts as it must."
    )
    code = ("protocols/schemes/_double_masking", "protocols/ring.py", "protocols/engines/local.py")
    seed = 7
    parts = 40

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; a wrong bit raises `AssertionError`."""
        total: Counter[str] = Counter()
        for number in range(part * TRIALS, part * TRIALS + (size or TRIALS)):
            total += trial(self.seed, number)
        return {name: float(total[name]) for name in ("rounds", "aborted", "opened", "lost")}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        return all(result["rounds"] > 0 and result["opened"] > 0 for result in results)
