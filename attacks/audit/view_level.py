"""L3: whole releases as an adversary sees them, rounds from end to end, and canaries in one run."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from attacks.audit.black_box.claim import Approximate
from attacks.audit.black_box.search import choose
from attacks.audit.canaries import guessed
from attacks.audit.finding import Finding
from attacks.audit.lower_bound import Bound, trials_needed
from attacks.audit.neighbours import Neighbours
from attacks.audit.statistical_level import furthest, judged, sampled, tell_apart
from attacks.audit.target import Target
from securenb.privacy.sensitivity import Adjacency

TRIALS = 400_000
"""Runs on each input at most, where the view is the released vector."""

CELLS = 1 << 24
"""Numbers that all runs on one input may amount to."""

ROUNDS = 200
"""Whole rounds on each input: enough for gross faults; replays show the rest, with certainty."""

WORK = 6_000
"""What nodes may contribute altogether, on each input, to more than the fewest rounds."""

FEWEST_ROUNDS = 20
"""Of fewer none would tell anything."""

FEWEST = 50_000
"""Runs on each input at least; four times as many as would show twice the claim, where that is more."""

HIGH = 12.0
"""A claim beyond this is taken for it where runs are counted: no number of runs would contradict it."""

PILOT = 1_000
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
    whole, target = target, target.few()
    progress("choosing the pair that tells most")
    before, after, what = _most_telling(target, adjacency, neighbours, rng)
    claimed = target.claimed(adjacency)
    ceiling = None if claimed is None else float(claimed)

    def finding(check: str, bound: Bound) -> Finding:
        evidence = f"{bound}; witness: {what}" + ("" if ceiling is None else f"; claimed {ceiling:.4g}")
        return Finding("L3", check, judged(bound, ceiling), evidence, bound.epsilon, ceiling)

    moved = np.flatnonzero(
        target.replay(before, traced=False).values != target.replay(after, traced=False).values
    )
    if target.view != "model":
        progress(f"the {target.view} as a whole: {what}")
        needed = TRIALS if not ceiling or target.delta else 4 * trials_needed(min(ceiling, HIGH), alpha / 3)
        count = trials or min(TRIALS, CELLS // max(1, len(moved)), max(FEWEST, needed))
        one, two = sampled(target, before, after, moved, count, rng)
        bound = tell_apart(target, before, after, moved, one, two, alpha / 3)
        yield finding(f"the {target.view} as a whole", bound)
    progress(f"the model, and all that is opened: {what}")
    most = min(ROUNDS, WORK // target.contributors())
    rounds = max(FEWEST_ROUNDS, most if trials is None else min(most, trials // 500))
    ended = _rounds(
        target,
        before,
        after,
        rounds,
        rng,
        alpha / 3,
    )
    if ended is not None:
        yield finding("the model as a whole" if target.view == "model" else "rounds from end to end", ended)
    rows = whole.rows()
    if adjacency == "add-remove" and whole.view != "model" and rows >= FEWEST_CANARIES:
        progress("canaries")
        yield _canaries(whole, before, after, moved, rows, rng, alpha / 3, ceiling)


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
    shifts: set[bytes] = set()
    for before, after, what in candidates:
        try:
            low, high = (target.replay(records, traced=False).values for records in (before, after))
        except ValueError:
            continue
        moved = np.flatnonzero(low != high)
        shift = (high - low).tobytes()
        # pairs that are shifted alike tell alike: that noise is the same is what replays show
        if not len(moved) or shift in shifts:
            continue
        shifts.add(shift)
        first, second = sampled(target, before, after, moved, PILOT, rng)
        found = tell_apart(target, before, after, moved, first, second, 0.5).epsilon
        if found > largest:
            largest, best = found, (before, after, what)
    return best


def _rounds(
    target: Target, before: Any, after: Any, trials: int, rng: np.random.Generator, alpha: float
) -> Bound | None:
    """The best bound from whole rounds, by any question that has told releases apart; `None` without rounds.

    Questions, and the cut, come from one half of the rounds, counts from the other.
    """
    first, second = (target.ends(records, trials, rng) for records in (before, after))
    if first is None or second is None:
        return None
    claim, half = Approximate(1.0, target.delta), trials // 2
    event = choose(first[:half], second[:half], claim)
    if event is None:
        return Bound(0.0, "nothing that differs", (0, 0), half)
    return event.bound(first[half:], second[half:], claim, alpha)


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
    without, with_it = sampled(target, before, after, columns, rows, rng)
    inside = inside[: len(without)]
    outputs = np.where(inside[:, None], with_it, without).astype(np.float64)
    # each coordinate between the two true answers, from -1 to 1; coordinates weigh the same
    bounded = np.clip(outputs, np.minimum(low, high), np.maximum(low, high))
    score = (2 * (bounded - low) / (high - low) - 1).sum(axis=1)
    return guessed(score, inside, claimed, target.delta, alpha)
