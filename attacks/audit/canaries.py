"""Layer 3: one run with a canary in every row, from which epsilon is bounded from below."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from attacks.audit.target import Target
from attacks.audit.verdict import Finding
from securenb.distributions import Floats
from securenb.records import Records

LAYER = "L3 canaries"
CONFIDENCE = 0.95
GUESSED = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of the canaries that are guessed; the others are abstained from."""


def one_run_bound(correct: int, guesses: int, alpha: float) -> float:
    """A lower bound on pure epsilon from guesses of fair coins (Steinke, Nasr and Jagielski 2023).

    Correct guesses are dominated by a binomial with probability e^ε / (1 + e^ε), whichever canaries were
    guessed; so Clopper and Pearson's lower limit on that probability bounds epsilon. With delta = 0.

    Parameters
    ----------
    alpha
        One minus the confidence.

    Raises
    ------
    ValueError
        If not 0 ≤ correct ≤ guesses.
    """
    if not 0 <= correct <= guesses:
        raise ValueError(f"{correct} of {guesses} guesses cannot be correct")
    if correct == 0:
        return 0.0
    least = float(stats.beta.ppf(alpha, correct, guesses - correct + 1))
    return max(0.0, float(np.log(least) - np.log1p(-least)))


def guess(scores: Floats, included: NDArray[np.bool_], alpha: float) -> float:
    """The best bound over a few numbers of guesses, half of them "in" and half "out"; alpha is split.

    Parameters
    ----------
    scores
        Higher if the canary seems to be in, shape (n,).
    included
        Which canaries were, by independent fair coins, shape (n,).
    """
    order = np.argsort(scores, kind="stable")
    bounds = []
    for share in GUESSED:
        each = max(1, int(len(order) * share / 2))
        correct = int(included[order[-each:]].sum() + (~included[order[:each]]).sum())
        bounds.append(one_run_bound(correct, 2 * each, alpha / len(GUESSED)))
    return max(bounds)


def one_run(target: Target, pair: tuple[Records, Records], rows: int, rng: np.random.Generator) -> Finding:
    """Each row holds D or D' of the pair by a fair coin; whoever sees it guesses which.

    A row is a node's vector, or a group's sum, as `target` is noised. It needs many: canaries in one sum
    cannot be told apart. The score sums what the canary moves, in units of
    its own move, which is the likelihood ratio's direction wherever noise is scaled to sensitivity.
    """
    claimed: Fraction | None = target.claimed("add-remove")
    if claimed is None:
        return Finding(LAYER, "INCONCLUSIVE", ("nothing is claimed",))
    if getattr(getattr(target, "mechanism", None), "delta", 0.0):
        return Finding(LAYER, "INCONCLUSIVE", ("tests pure epsilon only",))
    before, after = (target.replay(records) for records in pair)
    moves = after.values - before.values
    cells = np.argwhere(moves != 0)
    by = moves[tuple(cells.T)]
    included = rng.random(rows) < 0.5
    seen = np.empty((rows, len(cells)))
    for which, records in ((False, pair[0]), (True, pair[1])):
        seen[included == which] = target.sample(records, cells, int((included == which).sum()), rng)
    start = before.values[tuple(cells.T)]
    scores = np.clip((seen - start) / by, 0, 1).sum(axis=1)
    bound = guess(scores, included, 1 - CONFIDENCE)
    evidence = (
        f"{rows} canaries in one run, one a row, lower bound {bound:.3g}, claimed {float(claimed):.3g} a row"
    )
    return Finding(LAYER, "FAIL" if bound > claimed else "PASS", (evidence,))
