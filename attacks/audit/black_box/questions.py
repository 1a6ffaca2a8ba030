"""Questions to outputs that have told neighbouring inputs apart: each gives a number, larger for the second.

Questions are made up from some runs, chosen by others, and counted on yet others; so any number of them may
be asked, and a bad one costs nothing but time.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from attacks.audit.black_box.outputs import Outputs
from securenb.bayes.parameters import Floats

Question = Callable[[Outputs], Floats]
"""From n outputs to n numbers."""

WIDEST = 64
"""Numbers of an output that are looked at one by one."""

CLOSELY = 8
"""Numbers of an output whose values, fractions and bits are looked at."""

WIDEST_RELATIONS = 1000
"""Numbers of an output among which exact relations are looked for."""

FEWEST = 200
"""Runs without which nothing is learned."""

TREES = 20_000
"""Runs that trees learn from."""


def questions(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    """Everything that is asked, by name, made up from runs on either input."""
    yield from questions_about_reals(first, second)
    yield from _low_bits(first.values.shape[1])


def questions_about_reals(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    """Everything but what only the rounding of floating-point numbers tells."""
    yield from _outcomes(first, second)
    yield from _relations(first, second)
    yield from _coordinates(first, second)
    yield from _whole(first, second)


def relations(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    """Only what successive runs may have in common."""
    yield from _relations(first, second)


def _outcomes(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    names = np.unique(np.concatenate([first.outcomes, second.outcomes]))
    if len(names) > 1:
        for name in names[:40]:
            yield f"the release {name}", _is(str(name))
    if first.odd.any() or second.odd.any():
        yield "numbers that are not finite", lambda outputs: outputs.odd


def _is(name: str) -> Question:
    return lambda outputs: (outputs.outcomes == name).astype(np.float64)


def _relations(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    """Linear relations that hold exactly in every run on one input; constants are the simplest of them.

    Directions in which nothing varies: the null space of the outputs. Noise that several numbers share, or
    that one of them lacks, leaves such a direction, and there the exact statistics are.
    """
    width = first.values.shape[1]
    if not 0 < width <= WIDEST_RELATIONS or min(len(first), len(second)) < max(FEWEST, width + 10):
        return
    for place, outputs in (("first", first), ("second", second)):
        usual = outputs[outputs.outcomes == _most(outputs)].values
        if len(usual) <= width:
            continue
        middle = usual.mean(axis=0)
        scale = np.maximum(usual.std(axis=0), 1e-12 * np.maximum(1.0, np.abs(middle)))
        still = usual.std(axis=0) <= 1e-9 * np.maximum(1.0, np.abs(middle))
        scale[still] = np.maximum(1.0, np.abs(middle[still]))
        _, sizes, axes = np.linalg.svd((usual - middle) / scale, full_matrices=False)
        dead = axes[sizes <= 1e-8 * max(float(sizes.max()), 1.0)]
        if len(dead):
            yield f"an exact relation of the {place} input breaks", _breaks(middle, scale, dead)


def _most(outputs: Outputs) -> str:
    names, counts = np.unique(outputs.outcomes, return_counts=True)
    return str(names[counts.argmax()])


def _breaks(middle: Floats, scale: Floats, dead: Floats) -> Question:
    return lambda outputs: (np.abs(((outputs.values - middle) / scale) @ dead.T).max(axis=1) > 1e-6).astype(
        np.float64
    )


def _coordinates(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    """Each number by itself: its size, values it often has, its fraction."""
    together = Outputs.together([first, second]).values
    for at in range(min(together.shape[1], WIDEST)):
        column = together[:, at]
        yield f"number {at}", lambda outputs, at=at: outputs.values[:, at]  # type: ignore[misc]
        if at >= CLOSELY:
            continue
        whole = bool((column == np.rint(column)).all())
        for what, read in (("", _itself), (" after its point", _fraction)):
            if what and whole:
                continue
            for value in _often(read(column)):
                yield (
                    f"number {at}{what} is {value:.17g}",
                    lambda outputs, at=at, read=read, value=value: (  # type: ignore[misc]
                        read(outputs.values[:, at]) == value
                    ).astype(np.float64),
                )
        yield f"the distance of number {at} from its middle", _distance(at, float(np.median(column)))


def _low_bits(width: int) -> Iterator[tuple[str, Question]]:
    """How finely numbers are resolved: adding noise to a larger number rounds it more (Mironov 2012)."""
    for at in range(min(width, CLOSELY)):
        yield f"the lowest bit of number {at}", lambda outputs, at=at: lowest_bit(outputs.values[:, at])  # type: ignore[misc]
    if width > 1:
        yield "the least of all lowest bits", lambda outputs: lowest_bit(outputs.values).min(axis=1)
        yield "the greatest of all lowest bits", lambda outputs: lowest_bit(outputs.values).max(axis=1)


def _distance(at: int, middle: float) -> Question:
    return lambda outputs: np.abs(outputs.values[:, at] - middle)


def _itself(values: Floats) -> Floats:
    return values


def _fraction(values: Floats) -> Floats:
    return values - np.floor(values)


def _often(column: Floats, most: int = 12) -> Floats:
    """Values that are seen in one run of a hundred, the most frequent ones."""
    values, counts = np.unique(column, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return values[order[counts[order] >= max(3, len(column) / 100)]]


def lowest_bit(values: Floats) -> Floats:
    """The exponent of the lowest bit that is set, 1100 for zero; what rounding hides above it is exact."""
    fraction, exponent = np.frexp(values)
    whole = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    with np.errstate(divide="ignore"):
        bit = np.log2(lowest) + exponent - 53
    found: Floats = np.where(values == 0, 1100.0, bit)
    return found


def _whole(first: Outputs, second: Outputs) -> Iterator[tuple[str, Question]]:
    """All numbers together."""
    a, b = first.values, second.values
    width = a.shape[1]
    if not width or min(len(a), len(b)) < FEWEST:
        return
    yield "the likelihood of all numbers, one by one", _binned(a, b)
    if width == 1:
        return
    shift = b.mean(axis=0) - a.mean(axis=0)
    scale = np.sqrt(a.var(axis=0) + b.var(axis=0)) + 1e-12
    yield "a sum that weighs by variance", _linear(shift / scale**2)
    clipped = np.clip(shift / scale, -1, 1)
    yield "the sum of the signs of shifts", _linear(np.sign(clipped) / scale)
    if width <= WIDEST_RELATIONS:
        both = np.vstack([a - a.mean(axis=0), b - b.mean(axis=0)]) / scale
        inverse = np.linalg.pinv(np.atleast_2d(np.cov(both.T)), rcond=1e-9)
        yield "Fisher's discriminant", _linear(inverse @ (shift / scale) / scale)
    middle = (a.mean(axis=0) + b.mean(axis=0)) / 2
    yield (
        "the distance from the middle",
        lambda outputs: (((outputs.values - middle) / scale) ** 2).sum(axis=1),
    )
    if width <= WIDEST:
        yield "trees", _trees(a, b)


def _linear(weights: Floats) -> Question:
    return lambda outputs: outputs.values @ weights


def _binned(a: Floats, b: Floats) -> Question:
    """The sum of log-likelihood ratios of each number's bin."""
    width = min(a.shape[1], WIDEST_RELATIONS)
    bins = int(np.clip(min(len(a), len(b)) // 100, 8, 64 if width < 8 else 16))
    tables = []
    for at in range(width):
        edges = np.unique(
            np.quantile(np.concatenate([a[:, at], b[:, at]]), np.linspace(0, 1, bins + 1)[1:-1])
        )
        counts = [
            np.bincount(np.searchsorted(edges, x[:, at], side="right"), minlength=len(edges) + 1) + 1.0
            for x in (a, b)
        ]
        tables.append((edges, np.log(counts[1] / counts[1].sum()) - np.log(counts[0] / counts[0].sum())))

    def ratio(outputs: Outputs) -> Floats:
        total = np.zeros(len(outputs))
        for at, (edges, logs) in enumerate(tables):
            total += logs[np.searchsorted(edges, outputs.values[:, at], side="right")]
        return total

    return ratio


def _trees(a: Floats, b: Floats) -> Question:
    """Boosted trees: whatever the questions above do not ask."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # half a second that no other audit needs

    count = min(len(a), len(b), TREES // 2)
    learner = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=15, min_samples_leaf=50, early_stopping=False, random_state=0
    )
    with np.errstate(all="ignore"), _one_thread():
        learner.fit(np.vstack([a[:count], b[:count]]), np.repeat([0, 1], count))

    def score(outputs: Outputs) -> Floats:
        with _one_thread():
            return np.asarray(learner.decision_function(outputs.values), dtype=np.float64)

    return score


def _one_thread() -> AbstractContextManager[Any]:
    """Threads that wait for one another on a busy machine cost a hundred times what they save here."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="openmp")
    return limits
