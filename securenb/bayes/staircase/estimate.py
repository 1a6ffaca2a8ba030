"""From one opened row of increments to a table of rates."""

from functools import lru_cache

import numpy as np

from protocols.ring import Integers
from securenb.bayes.parameters import Floats
from securenb.bayes.staircase.votes import Votes
from securenb.schema.increments import Increments

SMOOTHING = 0.25
"""What is added to every rate, as a part of the rate at which the first votes leave the trimmed share."""


@lru_cache(maxsize=64)
def votes_of(layout: Increments, trim: float) -> tuple[Votes, ...]:
    """What the votes of each class mean."""
    return tuple(Votes(tuple(dict.fromkeys(steps)), trim) for steps in layout.thresholds)


def shares(layout: Increments, row: Integers, nodes: int) -> tuple[tuple[Floats, ...], ...]:
    """S_j = Y_j / (N w_j) of a row (C, width): by class, by feature, shape (levels, J of the class)."""
    cells = [part.astype(np.float64) for part in layout.cells(row)]
    found = []
    for index, steps in enumerate(layout.steps):
        real = steps > 0
        found.append(tuple(part[index][:, real] / (nodes * steps[real]) for part in cells))
    return tuple(found)


def floor_of(layout: Increments, trim: float, nodes: int) -> float:
    """What is added to every rate, a: a quarter of p*, the largest of the classes, or one record."""
    first = max(votes.first for votes in votes_of(layout, trim))
    return max(SMOOTHING * first, 1 / (nodes * min(layout.quotas)))


def scores(layout: Increments, votes: tuple[tuple[Floats, ...], ...], trim: float, nodes: int) -> Floats:
    """Rates plus a, shape (C, base width); class probabilities are equal.

    Rates are not divided by their sum over levels: that would let malicious nodes move a level's rate outside
    its box by filling other levels (`docs/staircase.md`).
    """
    base = layout.base
    table = np.full((len(layout.classes), base.width), 1 / len(layout.classes))
    floor = floor_of(layout, trim, nodes)
    for index, (meaning, features) in enumerate(zip(votes_of(layout, trim), votes, strict=True)):
        for columns, part in zip(base.columns, features, strict=True):
            table[index, columns] = meaning.rate(part) + floor
    return table
