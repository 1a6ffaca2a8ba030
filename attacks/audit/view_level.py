"""L3: whole releases as an adversary sees them, and canaries that need one run only."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from attacks.audit.canaries import guessed
from attacks.audit.finding import Finding
from attacks.audit.lower_bound import lower_bound
from attacks.audit.neighbours import Neighbours
from attacks.audit.statistical_level import furthest, judged, tell_apart
from attacks.audit.target import Target
from securenb.bayes.parameters import Floats
from securenb.privacy.sensitivity import Adjacency

TRIALS = 400_000
"""Runs on each input where the view is the released vector."""

CELLS = 1 << 24
"""Numbers that all runs on one input may amount to."""

MODELS = 20_000
"""Runs on each input where it is a model."""

PILOT = 2_000
"""Runs on each input that choose the pair of inputs; they are not counted."""

FEWEST_CANARIES = 30


def audit_view(
    target: Target,
    adjacency: Adjacency,
    neighbours: Neighbours,
    rng: np.random.Generator,
    alpha: float,
    trials: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """The whole release against its whole claim, then canaries in every row that is seen by itself.

    Parameters
    ----------
    alpha
        Probability that any of the bounds is wrong.
    trials
        Runs on each input.
    """
    progress("choosing the pair that tells most")
    before, after, what = _most_telling(target, adjacency, neighbours, rng)
    claimed = target.claimed(adjacency)
    ceiling = None if claimed is None else float(claimed)
    moved = np.flatnonzero(
        target.replay(before, traced=False).values != target.replay(after, traced=False).values
    )
    progress(f"the {target.view} as a whole: {what}")
    if target.view == "model":
        first, second = _models(target, before, after, trials or MODELS, rng)
        bound = lower_bound({"a linear score of the parameters": (first, second)}, target.delta, alpha / 2)
    else:
        count = trials or min(TRIALS, CELLS // len(moved))
        one, two = (target.sample(records, moved, count, rng) for records in (before, after))
        bound = tell_apart(target, before, after, moved, one, two, alpha / 2)
    evidence = f"{bound}; witness: {what}" + ("" if ceiling is None else f"; claimed {ceiling:.4g}")
    yield Finding(
        "L3", f"the {target.view} as a whole", judged(bound, ceiling), evidence, bound.epsilon, ceiling
    )
    rows = target.rows()
    if adjacency == "add-remove" and target.view != "model" and rows >= FEWEST_CANARIES:
        progress("canaries")
        yield _canaries(target, before, after, moved, rows, rng, alpha / 2, ceiling)


def _most_telling(
    target: Target, adjacency: Adjacency, neighbours: Neighbours, rng: np.random.Generator
) -> tuple[Any, Any, str]:
    """The pair of inputs that a few runs tell apart best, in words too; ties go to the furthest.

    Fresh runs are counted later, so choosing costs no confidence.
    """
    pool = target.encode(neighbours.pool)
    best = (*furthest(pool, neighbours, adjacency), "typical records and one in the corner of all bounds")
    candidates = [best]
    for pair in neighbours.pairs:
        if not pair.random:
            before, after = (pool[np.array(rows, dtype=np.int64)] for rows in (pair.before, pair.after))
            candidates.append((before, after, pair.what))
    largest = -1.0
    for before, after, what in candidates:
        try:
            low, high = (target.replay(records, traced=False).values for records in (before, after))
        except ValueError:
            continue
        moved = np.flatnonzero(low != high)
        if not len(moved):
            continue
        first, second = (target.sample(records, moved, PILOT, rng) for records in (before, after))
        found = tell_apart(target, before, after, moved, first, second, 0.5).epsilon
        if found > largest:
            largest, best = found, (before, after, what)
    return best


def _models(
    target: Target, before: Any, after: Any, trials: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Scores of models that are seen, along the direction that separates a first batch best."""
    everything = np.arange(target.schema.length)

    def seen(records: Any, count: int) -> Floats:
        # others' records: enough of them that the parameters are defined
        sampled = target.sample(records, everything, count, rng) + target.others()
        return target.show(sampled)

    train = [seen(records, max(trials // 4, 100)) for records in (before, after)]
    spread = train[0].var(axis=0) + train[1].var(axis=0)
    direction = np.divide(
        train[1].mean(axis=0) - train[0].mean(axis=0), spread, out=np.zeros_like(spread), where=spread > 0
    )
    return seen(before, trials) @ direction, seen(after, trials) @ direction


def _canaries(
    target: Target,
    before: Any,
    after: Any,
    columns: Any,
    rows: int,
    rng: np.random.Generator,
    alpha: float,
    claimed: float | None,
) -> Finding:
    """One canary a row, in or out by a coin; the most telling rows are guessed."""
    inside = rng.random(rows) < 0.5
    low, high = (target.replay(records, traced=False).values[columns] for records in (before, after))
    outputs = np.where(
        inside[:, None],
        target.sample(after, columns, rows, rng),
        target.sample(before, columns, rows, rng),
    ).astype(np.float64)
    # each coordinate between the two true answers, from -1 to 1; coordinates weigh the same
    bounded = np.clip(outputs, np.minimum(low, high), np.maximum(low, high))
    score = (2 * (bounded - low) / (high - low) - 1).sum(axis=1)
    return guessed(score, inside, claimed, target.delta, alpha)
