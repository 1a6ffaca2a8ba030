"""Rules break within one malicious node of where theory says."""

from collections.abc import Sequence

from attacks.sweeps.breakdown import KINDS, BreakdownGrid, measure_breakdown
from benchmarks.evidence.claim import Claim, Result


class Breakdowns(Claim):
    """Each defence in thirty trials, a hundred nodes of Mushroom, as in docs/resilience/breakdown.toml."""

    says = "Nine in ten measured breakdowns lie within one malicious node of the prediction."
    code = ("attacks/sweeps/breakdown.py", "attacks/sweeps/poisoning.py", "securenb/robust", "securenb/bayes")
    seed = 1
    parts = 30

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; a part is one trial of every defence, `size` says of how many."""
        grid = BreakdownGrid(dataset=["mushroom"], nodes=[100], trials=self.parts, seed=self.seed)
        cells = [cell for cell in grid.cells() if cell["trial"] == part][: size or len(KINDS)]
        lines = [line for cell in cells for line in measure_breakdown(cell)]
        return {"trials": len(lines), "within_one": sum(bool(line["within_one"]) for line in lines)}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        trials = sum(result["trials"] for result in results)
        return sum(result["within_one"] for result in results) >= 0.9 * trials > 0
