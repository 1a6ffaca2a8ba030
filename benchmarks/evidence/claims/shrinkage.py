"""Shrinkage of noisy sums costs no accuracy, on a table of problems that was fixed before it was measured."""

from collections.abc import Sequence

from benchmarks.estimates import AFTER, BEFORE, difference, scores
from benchmarks.evidence.claim import Claim, Result
from benchmarks.problems import SYNTHETIC, shipped, synthetic

SHIPPED = (
    ("iris", "gaussian"), ("wine", "gaussian"), ("breast_cancer", "gaussian"), ("digits", "gaussian"),
    ("breast_cancer", "histogram"), ("digits", "histogram"), ("phishing", "gaussian"), ("votes", "gaussian"),
    ("spect", "gaussian"), ("mushroom", "gaussian"), ("adult", "gaussian"), ("adult", "histogram"),
    ("skin", "gaussian"), ("skin", "histogram"), ("accelerometer", "gaussian"),
    ("accelerometer", "histogram"),
)  # fmt: skip
EPSILONS, FOR_MANY, MANY = ("0.1", "1", "10"), "0.01", 10_000
SEEDS = 200
WORSE = -0.003
"""A cell is worse where the 95 % interval of its difference lies wholly below this."""
ALLOWED = 0.05
"""The share of synthetic cells that may be worse."""


class Shrinkage(Claim):
    """Accuracy and balanced accuracy, paired by seed: shipped data, wine, iris, then synthetic problems."""

    says = (
        "With shrinkage neither accuracy nor balanced accuracy is worse by more than .3 points "
        "on any shipped data, and on at most 5 % of 150 synthetic cells with rare classes."
    )
    code = (
        "securenb/schema/shrinking.py", "securenb/federation/postprocess.py", "securenb/bayes/parameters.py",
        "benchmarks/problems.py", "benchmarks/estimates.py",
    )  # fmt: skip
    seed = 17
    parts = len(SHIPPED) + SYNTHETIC

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; a part is a problem at three or four epsilons, `size` the number of seeds."""
        mine = part < len(SHIPPED)
        problem = shipped(*SHIPPED[part]) if mine else synthetic(self.seed, part - len(SHIPPED))
        many = (FOR_MANY,) if mine and len(problem.train) > MANY else ()
        result: Result = {"shipped": float(mine)}
        for epsilon in (*many, *EPSILONS):
            found = scores(problem, epsilon, size or SEEDS, (BEFORE, AFTER))
            for what, change, half in zip(("accuracy", "balanced"), *difference(found), strict=True):
                result |= {
                    f"{epsilon} {what}": round(float(change), 5),
                    f"{epsilon} {what} ±": round(float(half), 5),
                }
        return result

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        synthetic_cells = sum(len(EPSILONS) for result in results if not result["shipped"])
        worse = [len(cells_worse(result)) for result in results]
        of_shipped = sum(bad for bad, result in zip(worse, results, strict=True) if result["shipped"])
        return of_shipped == 0 and sum(worse) <= ALLOWED * synthetic_cells


def cells_worse(result: Result) -> list[str]:
    """The epsilons at which a problem got worse, in accuracy or balanced accuracy."""
    worse = [
        key.split()[0]
        for key in result
        if key.endswith(("accuracy", "balanced")) and result[key] + result[f"{key} ±"] < WORSE
    ]
    return sorted(set(worse))
