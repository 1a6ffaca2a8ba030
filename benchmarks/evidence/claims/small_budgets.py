"""What accuracy one shared dose leaves where the budget is small."""

from collections.abc import Sequence

from benchmarks.estimates import AFTER, scores
from benchmarks.evidence.claim import Claim, Result
from benchmarks.problems import shipped

TARGETS = (
    ("breast_cancer", "discrete_laplace", "1", "accuracy", 0.80),
    ("breast_cancer", "discrete_laplace", "3.16", "accuracy", 0.90),
    ("breast_cancer", "discrete_laplace", "10", "accuracy", 0.92),
    ("breast_cancer", "discrete_laplace", "31.6", "accuracy", 0.93),
    ("digits", "discrete_laplace", "10", "accuracy", 0.87),
    ("adult", "discrete_laplace", "0.1", "balanced", 0.72),
    ("adult", "skellam", "0.1", "balanced", 0.73),
)
SEEDS = 100


class SmallBudgets(Claim):
    """Numbers as Gaussians, the mean over seeds 0 … 99, Skellam at delta 1e-6; a target a part."""

    says = (
        "With one shared dose breast cancer has an accuracy of at least .80, .90, .92, .93 at epsilon 1, "
        "3.16, 10, 31.6, digits of .87 at 10, Adult a balanced one of .72 at .1, with Skellam of .73."
    )
    code = (
        "securenb/schema/shrinking.py", "securenb/federation/postprocess.py", "securenb/bayes/parameters.py",
        "benchmarks/problems.py", "benchmarks/estimates.py",
    )  # fmt: skip
    seed = 0
    parts = len(TARGETS)

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of seeds."""
        name, mechanism, epsilon, what, target = TARGETS[part]
        found = scores(shipped(name), epsilon, size or SEEDS, (AFTER,), mechanism)[0, int(what == "balanced")]
        half = 1.96 * found.std(ddof=1) / len(found) ** 0.5
        return {"target": target, "found": round(float(found.mean()), 5), "±": round(float(half), 5)}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        return all(result["found"] >= result["target"] for result in results)
