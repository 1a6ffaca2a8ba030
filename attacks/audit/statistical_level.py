"""L2: each query by itself, against the epsilon that it may cost; family-wise confidence."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attacks.audit.finding import Finding, Verdict
from attacks.audit.lower_bound import Bound, lower_bound, precision_scores, shows_twice, trials_needed
from attacks.audit.neighbours import Neighbours
from attacks.audit.target import Target, Values
from securenb.bayes.parameters import Floats
from securenb.privacy.accountant import Query, worst
from securenb.privacy.distributions import Distribution
from securenb.privacy.sensitivity import Adjacency

TRIALS = 400_000
"""Runs on each input; 100 000 may miss a factor of 2 in an epsilon of 0.05."""


FEASIBLE = 50_000_000
"""Runs on each input that is worth asking for."""


def audit_queries(
    target: Target,
    adjacency: Adjacency,
    neighbours: Neighbours,
    rng: np.random.Generator,
    alpha: float,
    trials: int = TRIALS,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """One finding a block of the schema: all its coordinates, in all classes.

    The pair is the one that moves blocks furthest: a record in the corner of all bounds that is added, or
    changes its label.

    Parameters
    ----------
    alpha
        Probability that any of the bounds is wrong; split over the blocks.
    """
    target = target.few()
    pool = target.encode(neighbours.pool)
    before, after = furthest(pool, neighbours, adjacency)
    schema = target.schema
    offsets = np.arange(len(schema.classes))[:, None] * schema.width
    for block in schema.blocks:
        name = f"{schema.column_name(block.start)} {block.kind}"
        progress(name)
        columns = (offsets + np.arange(block.start, block.stop)).ravel()
        claimed = _claimed(target, adjacency, set(columns.tolist()))
        moved = _means(target, after, columns) - _means(target, before, columns)
        # what does not move tells nothing: it only costs time
        columns = columns[moved != 0] if (moved != 0).any() else columns[:1]
        first, second = sampled(target, before, after, columns, trials, rng)
        each = alpha / len(schema.blocks)
        bound = tell_apart(target, before, after, columns, first, second, each)
        evidence = f"{bound}; claimed {claimed:.4g}" if claimed is not None else str(bound)
        verdict = judged(bound, claimed)
        # up to a delta no number of runs would: replays answer for that noise
        if verdict == "PASS" and claimed and not target.delta and not shows_twice(claimed, len(first), each):
            needed = trials_needed(claimed, each)
            evidence += f"; twice as much would need {needed:,} runs to show"
            # more than can be run: replays answer for so large a claim, too
            verdict = "INCONCLUSIVE" if needed <= FEASIBLE else "PASS"
        yield Finding("L2", name, verdict, evidence, bound.epsilon, claimed)


def judged(bound: Bound, claimed: float | None) -> Verdict:
    """Whether a bound contradicts a claim."""
    return "FAIL" if claimed is None or bound.epsilon > claimed else "PASS"


def furthest(pool: Any, neighbours: Neighbours, adjacency: Adjacency) -> tuple[Any, Any]:
    """Records before and after the change that moves blocks furthest."""
    typical = list(range(20))
    corner, other = [*typical, neighbours.corner], [*typical, neighbours.opposite]
    rows = (typical, corner) if adjacency == "add-remove" else (other, corner)
    before, after = (pool[np.array(index, dtype=np.int64)] for index in rows)
    return before, after


def sampled(
    target: Target, before: Any, after: Any, columns: NDArray[np.int64], trials: int, rng: np.random.Generator
) -> tuple[Values, Values]:
    """As many runs on either input: fewer than asked for if one of them cannot be run so often."""
    first, second = (target.sample(records, columns, trials, rng) for records in (before, after))
    count = min(len(first), len(second))
    return first[:count], second[:count]


def tell_apart(
    target: Target,
    before: Any,
    after: Any,
    columns: NDArray[np.int64],
    first: Values,
    second: Values,
    alpha: float,
) -> Bound:
    """The best bound from outputs on two inputs: by their distance, their low bits, and exact zeros."""
    low, high = (_means(target, records, columns) for records in (before, after))
    scores: dict[str, tuple[Floats, Floats]] = {}
    scale = np.maximum(np.abs(high - low), 1e-300)

    def project(values: Values, *, clipped: bool) -> Floats:
        reals = values.astype(np.float64)
        if clipped:
            reals = np.clip(reals, np.minimum(low, high), np.maximum(low, high))
        weighted: Floats = ((reals - low) * np.sign(high - low) / scale).sum(axis=1)
        return weighted

    # clipped to what lies between the two true answers, this is the log-likelihood ratio of Laplace noise
    for label, clipped in (("the clipped sum of shifts", True), ("the sum of shifts", False)):
        scores[label] = (project(first, clipped=clipped), project(second, clipped=clipped))
    scores["whole multiples of 2^-b"] = (precision_scores(first), precision_scores(second))
    for name, exact in (("equal to the first true answer", low), ("equal to the second true answer", high)):
        one, two = (np.sum(values == exact, axis=1).astype(np.float64) for values in (first, second))
        scores[name] = (one, two)
    return lower_bound(scores, target.delta, alpha)


def _means(target: Target, records: Any, columns: NDArray[np.int64]) -> Floats:
    means: Floats = target.replay(records, traced=False).values[columns].astype(np.float64)
    return means


def _claimed(target: Target, adjacency: Adjacency, columns: set[int]) -> float | None:
    """What the lines of one block may cost together; `None` if that cannot be told."""
    queries = []
    for line in target.lines():
        if line.columns.start in columns:
            if not isinstance(line.law, Distribution):
                return _share(target, adjacency)
            queries.append(Query(line.law, line.reach))
    # a record is in one class; a label that flips is in two
    queries = queries[:1] if adjacency == "add-remove" else queries[:2]
    total = worst([queries], target.delta)
    return None if total is None else float(total)


def _share(target: Target, adjacency: Adjacency) -> float | None:
    """An equal part of the claim."""
    claimed = target.claimed(adjacency)
    return None if claimed is None else float(claimed / Fraction(len(target.schema.blocks)))
