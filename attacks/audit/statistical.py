"""Layer 2: lower bounds on epsilon from samples, query by query, because a whole vector hides a factor 2."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from attacks.audit.target import Target
from attacks.audit.verdict import Finding
from securenb.distributions import Floats
from securenb.records import Records
from securenb.sensitivity import Adjacency

LAYER = "L2 statistical"
ALPHA = 0.05
QUANTILES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.997, 0.999)
FINEST = (50, 51, 52, 53, 54)
"""Bits after the point, which floating-point noise near zero has and sums with it lack (Mironov 2012)."""

Event = Callable[[Floats], NDArray[np.bool_]]


@dataclass(frozen=True)
class Bound:
    """Epsilon is at least `epsilon` with the asked confidence; the event occurred so often under either."""

    epsilon: float
    event: str
    often: int
    seldom: int
    trials: int


def lower_bound(a: Floats, b: Floats, alpha: float) -> Bound:
    """A lower bound on pure epsilon from samples of two neighbours, each of shape (n,).

    Events are chosen on one half of the samples and counted on the other (Jagielski et al. 2020), so that
    choosing costs no confidence. Clopper and Pearson's limits, `alpha` split over both directions and over
    the two probabilities.
    """
    half = min(len(a), len(b)) // 2
    best = []
    for p, q in ((a, b), (b, a)):
        events = _events(np.concatenate([p[:half], q[:half]]))
        scores = {name: _limit(int(f(p[:half]).sum()), int(f(q[:half]).sum()), half, alpha / 4)
                  for name, f in events.items()}  # fmt: skip
        name = max(scores, key=lambda key: scores[key])
        often, seldom = int(events[name](p[half:]).sum()), int(events[name](q[half:]).sum())
        trials = min(len(p), len(q)) - half
        best.append(Bound(max(0.0, _limit(often, seldom, trials, alpha / 4)), name, often, seldom, trials))
    return max(best, key=lambda bound: bound.epsilon)


def ceiling(trials: int, alpha: float) -> float:
    """The most that `lower_bound` can say with so many samples of each neighbour."""
    return _limit(trials - trials // 2, 0, trials - trials // 2, alpha / 4)


def _limit(often: int, seldom: int, trials: int, alpha: float) -> float:
    if often == 0:
        return -np.inf
    least = float(stats.beta.ppf(alpha, often, trials - often + 1))
    most = 1.0 if seldom == trials else float(stats.beta.ppf(1 - alpha, seldom + 1, trials - seldom))
    return float(np.log(least / most))


def _events(seen: Floats) -> dict[str, Event]:
    events: dict[str, Event] = {}
    for t in np.unique(np.quantile(seen, QUANTILES)):
        events[f"s > {t:.6g}"] = lambda s, t=t: s > t  # type: ignore[misc]
        events[f"s <= {t:.6g}"] = lambda s, t=t: s <= t  # type: ignore[misc]
    events["s == 0"] = lambda s: s == 0
    for bits in FINEST:
        events[f"s finer than 2^-{bits}"] = lambda s, b=bits: np.mod(np.ldexp(s, b), 1.0) != 0  # type: ignore[misc]
    events["s even"] = lambda s: np.mod(s, 2.0) == 0
    return events


def measure(
    target: Target,
    pair: tuple[Records, Records],
    adjacency: Adjacency,
    trials: int,
    rng: np.random.Generator,
    step: Callable[[str], None] = lambda _: None,
) -> Finding:
    """Each query of the class that the extra record has, audited at its own share of the claim.

    Parameters
    ----------
    pair
        D, and D' with one record more.
    trials
        Runs of each neighbour.
    step
        Told what is being tested.
    """
    if adjacency != "add-remove":
        line = "tests single cells, which one added record moves; replace-one is left to L0 and L1"
        return Finding(LAYER, "INCONCLUSIVE", (line,))
    claimed = target.claimed(adjacency)
    if claimed is None:
        return Finding(LAYER, "INCONCLUSIVE", ("nothing is claimed",))
    if getattr(getattr(target, "mechanism", None), "delta", 0.0):
        return Finding(LAYER, "INCONCLUSIVE", ("tests pure epsilon only",))
    step("sampling")
    shift = target.replay(pair[1]).values - target.replay(pair[0]).values
    blocks = target.schema.blocks
    each, alpha = float(claimed) / len(blocks), ALPHA / len(blocks)
    if each > ceiling(trials, alpha):
        return Finding(LAYER, "INCONCLUSIVE", (f"{trials} runs cannot refute epsilon {each:.3g} a query",))
    moved = [np.argwhere(shift[:, block.columns]) + np.array([0, block.start]) for block in blocks]
    kept = [(block, cells[0]) for block, cells in zip(blocks, moved, strict=True) if len(cells)]
    cells = np.array([cell for _, cell in kept])
    a, b = (target.sample(records, cells, trials, rng) for records in pair)
    wrong, largest = [], 0.0
    for at, (block, cell) in enumerate(kept):
        name = f"{target.schema.column_name(block.start)} ({block.kind})"
        step(name)
        bound = lower_bound(a[:, at], b[:, at], alpha)
        largest = max(largest, bound.epsilon)
        if bound.epsilon > each:
            wrong.append(
                f"{name}, class {cell[0]}: with 95 % confidence not {each:.3g}-DP under {adjacency}, lower "
                f"bound {bound.epsilon:.3g}; event {bound.event}: {bound.often} against {bound.seldom} of "
                f"{bound.trials}"
            )
    if wrong:
        return Finding(LAYER, "FAIL", tuple(wrong))
    line = f"{len(kept)} of {len(blocks)} queries, lower bound {largest:.3g} ≤ claimed {each:.3g} a query"
    return Finding(LAYER, "PASS", (line,))
