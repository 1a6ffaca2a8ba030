"""Noise that several cells share, by the auditor's own arithmetic: what a change costs, and how it is spread.

A draw is uniform in a box of random size (`securenb.privacy.box`). Its loss is epsilon times the number of
boxes, one in the other, that a change crosses: ⌈max_j |v_j| / reach_j⌉, the largest over all that moves.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.privacy.box import Box
from securenb.privacy.joint import BoxMarginal

POINTS = 6_000
"""Draws that are looked at, of either sampler."""

QUARTERS = 4
"""Steps between one box and the next at which the distribution of their size is compared."""

MOST_STEPS = 1 << 20

Cell = tuple[int, BoxMarginal]
"""A cell of a release: its column, and its law."""


def drawn_together(laws: Iterable[tuple[int, object]], width: int) -> dict[tuple[int, Box], list[Cell]]:
    """Cells that share draws, in the order of the draw's cells, by class and box.

    Parameters
    ----------
    laws
        Of columns.
    width
        Columns of a class.
    """
    found: dict[tuple[int, Box], list[Cell]] = defaultdict(list)
    for column, law in laws:
        if isinstance(law, BoxMarginal):
            found[column // width, law.box].append((column, law))
    return {key: sorted(cells, key=lambda cell: (cell[1].part, cell[0])) for key, cells in found.items()}


def whole(cells: Sequence[Cell]) -> bool:
    """Whether these cells are all those of one draw, each once."""
    return np.array_equal([law.part for _, law in cells], cells[0][1].box.parts)


def free(box: Box, points: Integers) -> Integers | None:
    """Count, differences of levels, numbers: (n, dimension), of points (n, width).

    `None` if the levels of a binary feature do not add up to the count: no draw ever moves there.
    """
    numbers = points[:, 1 + 2 * box.pairs :]
    first, second = points[:, 1 : 1 + 2 * box.pairs : 2], points[:, 2 : 2 + 2 * box.pairs : 2]
    if (first + second != points[:, :1]).any():
        return None
    return np.concatenate([points[:, :1], second - first, numbers], axis=1)


def reaches(box: Box) -> Integers:
    """Of the free coordinates."""
    return np.array([1] * (1 + box.pairs) + list(box.reaches), dtype=np.int64)


def loss(box: Box, moved: Integers) -> Fraction | float:
    """What moving the cells of a draw by `moved`, (width,), loses; infinite if no draw moves so."""
    coordinates = free(box, moved[None])
    if coordinates is None:
        return math.inf
    boxes = max(-(-abs(int(by)) // int(far)) for by, far in zip(coordinates[0], reaches(box), strict=True))
    return box.epsilon * boxes


def misfits(points: Integers, box: Box, alpha: float) -> Iterator[str]:
    """Where draws, (runs, classes, width), differ from their law: each with a probability of alpha in all.

    The size of the box, cell by cell, and whether sizes or signs return where they must not. Bounds hold for
    any number of draws: Massart's (1990) of distribution functions, Hoeffding's of means.

    Parameters
    ----------
    alpha
        Probability that anything is said of independent draws from the law.
    """
    runs, classes, _ = points.shape
    n = runs * classes
    coordinates = free(box, points.reshape(n, -1))
    if coordinates is None:
        yield "levels of a binary feature get noise that does not add up to the count's"
        return
    steps, below = sizes(box)
    if steps is None or below is None:
        return
    size = (np.abs(coordinates) / reaches(box)).max(axis=1)
    seen = np.searchsorted(np.sort(size), steps, side="right") / n
    far = math.sqrt(math.log(2 / (alpha / 4)) / (2 * n))
    worst = int(np.abs(seen - below).argmax())
    if abs(seen[worst] - below[worst]) > far:
        yield (
            f"{100 * seen[worst]:.3g} % of {n} draws lie within {steps[worst]:g} reaches, "
            f"{100 * below[worst]:.3g} % are expected"
        )
    yield from _cells(coordinates, box, alpha / 4)
    place = below[np.clip(np.searchsorted(steps, size), 0, len(below) - 1)]
    earlier = below[np.clip(np.searchsorted(steps, size) - 1, 0, len(below) - 1)]
    yield from _again(((place + earlier) / 2 - 0.5).reshape(runs, classes), alpha / 4)
    signs = np.sign(coordinates).astype(np.float64)
    both = np.abs(signs.T @ signs / n - np.diag((signs**2).mean(axis=0)))
    pairs = max(1, len(both) * (len(both) - 1) // 2)
    if both.max() > math.sqrt(2 * math.log(2 * pairs / (alpha / 4)) / n):
        one, other = divmod(int(both.argmax()), len(both))
        yield f"the signs of coordinates {one} and {other} of a draw agree or differ too often"


def _again(place: Floats, alpha: float) -> Iterator[str]:
    """Sizes of boxes, as ranks around zero, (runs, classes), that return in the next class or run."""
    runs, classes = place.shape
    even = runs // 2 * 2
    pairs = {
        "another class": (place[:, 0 : classes // 2 * 2 : 2], place[:, 1::2]),
        "the next contribution": (place[0:even:2], place[1:even:2]),
    }
    for what, (one, other) in pairs.items():
        if one.size < 25:
            continue
        product = float((one * other).mean())
        if abs(product) > math.sqrt(math.log(4 / alpha) / (2 * one.size)) / 2:
            yield f"the size of a box tells that of {what}: ranks correlate by {12 * product:.2g}"


def _cells(coordinates: Integers, box: Box, alpha: float) -> Iterator[str]:
    """Each coordinate by itself: uniform in boxes of random size."""
    n = len(coordinates)
    each = math.sqrt(math.log(2 * box.dimension / alpha) / (2 * n))
    log_weights, radii = _radii(box)
    weights = np.exp(log_weights)
    for at, reach in enumerate(reaches(box).tolist()):
        magnitudes = np.sort(np.abs(coordinates[:, at]))
        tried = np.unique(magnitudes[:: max(1, n // 200)])
        if at <= box.pairs:
            within = _parity_within(box, radii, weights, tried)
        else:
            inside = 2 * np.minimum(tried[:, None], radii * reach) + 1
            within = (weights * inside / (2 * radii * reach + 1)).sum(axis=1)
        seen = np.searchsorted(magnitudes, tried, side="right") / n
        worst = int(np.abs(seen - within).argmax())
        if abs(seen[worst] - within[worst]) > each:
            yield (
                f"coordinate {at}: {100 * seen[worst]:.3g} % of {n} draws are at most {tried[worst]}, "
                f"{100 * within[worst]:.3g} % are expected"
            )


def _parity_within(box: Box, radii: Floats, weights: Floats, tried: Integers) -> Floats:
    """The probability that the count's noise, or a difference's, is at most so large."""
    with np.errstate(divide="ignore"):
        same = 1 / (1 + np.exp((box.pairs + 1) * (np.log(radii) - np.log(radii + 1))))
    total = np.zeros(len(tried))
    for chance, many in ((same, radii + 1), (1 - same, radii)):
        # many - 1, many - 3, … in size: how many of them are at most so large
        odd = (many + 1) % 2
        top = np.minimum(tried[:, None], many - 1)
        inside = np.where(many == 0, 0, 2 * np.floor((top - odd) / 2) + 1 + odd)
        total += (weights * chance * np.maximum(inside, 0) / np.maximum(many, 1)).sum(axis=1)
    return total


def _log_points(box: Box, steps: Floats) -> Floats:
    """The log of how many points lie within so many reaches."""
    whole = np.floor(steps)
    with np.errstate(divide="ignore"):
        total: Floats = np.logaddexp(*((box.pairs + 1) * np.log(whole + more) for more in (1, 0)))
    for reach, times in zip(*np.unique(np.array(box.reaches), return_counts=True), strict=True):
        total = total + times * np.log(2 * np.floor(steps * reach) + 1)
    return total


def _top(box: Box) -> int:
    return int((box.dimension + 10 * math.sqrt(box.dimension) + 50) / float(box.epsilon)) + 2


def _radii(box: Box) -> tuple[Floats, Floats]:
    """Log-probabilities of radii, and those: thinned out where there are very many."""
    top = _top(box)
    radii = np.arange(0.0, top, max(1, top // 4096))
    logs = _log_points(box, radii) - float(box.epsilon) * radii
    logs -= logs.max()
    return logs - math.log(np.exp(logs).sum()), radii


def sizes(box: Box) -> tuple[Floats, Floats] | tuple[None, None]:
    """Sizes of boxes in reaches, and the probability that a draw lies within each; nothing if too many."""
    top = _top(box) * QUARTERS
    if top > MOST_STEPS:
        return None, None
    steps: NDArray[np.float64] = np.arange(top + 1) / QUARTERS
    logs = _log_points(box, steps)
    # the points between two steps all have the probability q^⌈step⌉ / Σ
    shell = logs.copy()
    with np.errstate(divide="ignore"):
        shell[1:] += np.log(-np.expm1(logs[:-1] - logs[1:]))
    shell -= float(box.epsilon) * np.ceil(steps)
    masses = np.exp(shell - shell.max())
    return steps, np.cumsum(masses) / masses.sum()
