"""Lower bounds on epsilon that hold with a stated confidence, from outputs on two neighbouring inputs.

A test that tells the inputs apart is chosen on one half of the outputs and counted on the other half, so
choosing costs no confidence (Jagielski, Ullman and Oprea 2020, with the thresholds held out).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from attacks.audit.black_box.claim import Approximate, Claim
from securenb.bayes.parameters import Floats

CUTS = 400
"""Thresholds tried for each score."""


@dataclass(frozen=True)
class Bound:
    """A lower bound on epsilon and its evidence.

    Attributes
    ----------
    epsilon
        At least zero.
    event
        What the outputs were asked, in words.
    counts
        How often it happened on either input, of `trials` each.
    """

    epsilon: float
    event: str
    counts: tuple[int, int]
    trials: int

    def __str__(self) -> str:
        """The evidence in one line."""
        return (
            f"lower bound {self.epsilon:.4g}, event {self.event}: "
            f"{self.counts[0]} against {self.counts[1]} of {self.trials}"
        )


def clopper_pearson(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Bounds on a probability, each of which fails with probability at most `alpha`."""
    low = 0.0 if count == 0 else float(special.betaincinv(count, trials - count + 1, alpha))
    high = 1.0 if count == trials else float(special.betaincinv(count + 1, trials - count, 1 - alpha))
    return low, high


def lower_bound(scores: dict[str, tuple[Floats, Floats]], delta: float, alpha: float) -> Bound:
    """A bound that is wrong with probability at most `alpha`.

    Parameters
    ----------
    scores
        By name, a number for each output on the first and on the second input, shapes (n,), the same
        outputs in the same order under every name; larger means more like the second input.
    delta
        Of the definition: epsilon is bounded from P ≤ exp(epsilon) Q + delta.
    """
    half = len(next(iter(scores.values()))[0]) // 2
    best: tuple[float, str, float, bool] | None = None
    for name, (first, second) in scores.items():
        for flipped in (False, True):
            found = best_cut(first[:half], second[:half], Approximate(1.0, delta), flipped=flipped)
            if found is not None and (best is None or found[0] > best[0]):
                best = (found[0], name, found[1], flipped)
    if best is None:
        return Bound(0.0, "nothing that differs", (0, 0), half)
    _, name, cut, flipped = best
    first, second = (values[half:] for values in scores[name])
    event = f"{name} < {cut:.6g}" if flipped else f"{name} ≥ {cut:.6g}"
    counts = [int(np.count_nonzero(values < cut if flipped else values >= cut)) for values in (first, second)]
    # one of the two directions was chosen on the other half: each interval may take half of alpha
    rare, common = (counts[1], counts[0]) if flipped else (counts[0], counts[1])
    low = clopper_pearson(common, len(second), alpha / 2)[0]
    high = clopper_pearson(rare, len(first), alpha / 2)[1]
    epsilon = math.log((low - delta) / high) if low > delta else 0.0
    return Bound(max(0.0, epsilon), event, (counts[0], counts[1]), len(first))


def shows_twice(epsilon: float, trials: int, alpha: float) -> bool:
    """Whether `lower_bound` would nearly always contradict a claim of `epsilon` if the truth were twice that.

    For Laplace noise and the event that tells two answers apart best: what lies beyond the second of them.
    Counts are taken two standard deviations from what is expected, on the unlucky side.
    """
    half = trials // 2
    common, rare = half / 2, half * math.exp(-2 * epsilon) / 2
    common -= math.sqrt(half)
    rare += 2 * math.sqrt(rare)
    low = clopper_pearson(max(0, math.floor(common)), half, alpha / 2)[0]
    high = clopper_pearson(min(half, math.ceil(rare)), half, alpha / 2)[1]
    return low > high * math.exp(epsilon)


def trials_needed(epsilon: float, alpha: float) -> int:
    """The fewest runs on each input that would, to within a factor of two."""
    trials = 100
    while not shows_twice(epsilon, trials, alpha):
        trials *= 2
        if trials > 1 << 50:
            raise ValueError(f"no number of runs would contradict an epsilon of {epsilon:g}")
    return trials


def one_run_bound(
    correct: int, guesses: int, alpha: float, delta: float = 0.0, canaries: int | None = None
) -> float:
    """A lower bound from one run with many independent canaries.

    Each canary is in or out by a fair coin; `guesses` of the coins were guessed, `correct` of them right.
    If the run is epsilon-DP their number is dominated by a binomial with exp(epsilon)/(1 + exp(epsilon));
    a delta adds to its tail (Steinke, Nasr and Jagielski 2023, theorem 5.2).

    Parameters
    ----------
    canaries
        How many there were, guessed or not; by default all were guessed.
    """
    total = guesses if canaries is None else canaries
    if not 0 <= correct <= guesses <= total or not guesses:
        raise ValueError(f"{correct} of {guesses} guesses about {total} canaries cannot be right")
    if not delta:
        share = clopper_pearson(correct, guesses, alpha)[0]
        return max(0.0, float(special.logit(share))) if share > 0 else 0.0
    low, high = 0.0, 50.0
    if _chance(correct, guesses, low, delta, total) > alpha:
        return 0.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        refuted = _chance(correct, guesses, middle, delta, total) <= alpha
        low, high = (middle, high) if refuted else (low, middle)
    return low


def _chance(correct: int, guesses: int, epsilon: float, delta: float, total: int) -> float:
    """At most how likely so many right guesses are, of a run that is (epsilon, delta)-DP."""
    law = stats.binom(guesses, special.expit(epsilon))
    steps = np.arange(1, correct + 1)
    # P(correct - i ≤ W < correct) / i: what moving i guesses to the right side would cost
    below = law.cdf(correct - 1) - law.cdf(correct - 1 - steps)
    worst = float(np.max(below / steps, initial=0.0))
    return float(law.sf(correct - 1)) + 2 * total * delta * worst


def best_cut(first: Floats, second: Floats, claim: Claim, *, flipped: bool) -> tuple[float, float] | None:
    """The best cut by a cautious estimate: that estimate, and the cut; `None` if no cut shows anything."""
    both = np.concatenate([first, second])
    cuts = np.unique(np.quantile(both, np.linspace(0, 1, CUTS), method="nearest"))
    below = [np.searchsorted(np.sort(values), cuts, side="left") for values in (first, second)]
    if flipped:
        common, rare = below[0], below[1]
    else:
        common, rare = len(second) - below[1], len(first) - below[0]
    # four standard errors on each side, so that no cut is chosen for a few lucky counts; two lose power
    p = common / len(second) - 4 * np.sqrt(common + 1) / len(second)
    q = (rare + 4 * np.sqrt(rare + 1)) / len(first)
    value = claim.shown(p, q)
    at = int(np.argmax(value))
    return (float(value[at]), float(cuts[at])) if np.isfinite(value[at]) else None


def precision_scores(
    values: NDArray[np.generic], bits: Sequence[int] = (0, 30, 40, 44, 48, 50, 52)
) -> Floats:
    """The number of those precisions at which all coordinates are whole multiples, shape (n,)."""
    result = np.zeros(len(values))
    for exponent in bits:
        scaled = np.ldexp(values.astype(np.float64), exponent)
        result += np.all(scaled == np.rint(scaled), axis=1)
    return result
