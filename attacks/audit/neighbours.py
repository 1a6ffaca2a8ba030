"""Neighbouring data sets that have caught releases: empty classes, first records, corners, flips."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from securenb.privacy.sensitivity import Adjacency
from securenb.schema.feature import Categorical, Numeric
from securenb.schema.schema import Schema

BEYOND = 10.0
"""How far outside its bounds, in widths of them, an out-of-range number is."""


KINDS = ("lowest", "highest", "zero", "beyond", "below")
"""Special records, one of each kind in each class."""


@dataclass(frozen=True)
class Pair:
    """Two neighbouring data sets, as rows of the pool."""

    what: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    random: bool = False


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Pairs over one pool of records.

    Attributes
    ----------
    pool
        A table with the schema's columns.
    pairs
        What to try.
    corner, opposite
        Rows that, added, move every sum and every level as far as they go, in the first class, and the
        same in the second class.
    """

    pool: pd.DataFrame
    pairs: tuple[Pair, ...]
    corner: int
    opposite: int


def neighbours(
    schema: Schema, adjacency: Adjacency, rng: np.random.Generator, random: int = 400
) -> Neighbours:
    """Pairs for a schema, made up from it alone.

    Parameters
    ----------
    random
        How many random pairs come after the chosen ones.
    """
    pool = pd.DataFrame(_pool(schema, rng))
    classes = len(schema.classes)
    typical = tuple(range(20))
    # the pool's rows: 40 random ones, then those of `KINDS` for each class
    special = {
        (kind, label): 40 + kind_index * classes + label
        for kind_index, kind in enumerate(KINDS)
        for label in range(classes)
    }
    pairs = list(_added(classes, special, typical) if adjacency == "add-remove" else ())
    if adjacency == "replace-one":
        pairs += _replaced(classes, special, typical)
    for index in range(random):
        base = tuple(int(row) for row in rng.integers(40, size=rng.integers(1, 12)))
        extra, other = (int(row) for row in rng.integers(40 + len(KINDS) * classes, size=2))
        if adjacency == "add-remove":
            pairs.append(Pair(f"random records, one added ({index})", base, (*base, extra), random=True))
        else:
            pairs.append(
                Pair(f"random records, one replaced ({index})", (*base, other), (*base, extra), random=True)
            )
    return Neighbours(pool, tuple(pairs), special["highest", 0], special["highest", 1])


def _added(classes: int, special: dict[tuple[str, int], int], typical: tuple[int, ...]) -> Iterator[Pair]:
    for label in range(classes):
        other = (label + 1) % classes
        for kind in KINDS:
            row = special[kind, label]
            yield Pair(f"a node with no record, then one ({kind})", (), (row,))
            yield Pair(
                f"a node with one record, then two ({kind})",
                (special["zero", label],),
                (special["zero", label], row),
            )
            yield Pair(
                f"a class that was empty gets a record ({kind})",
                (special["lowest", other],) * 3,
                (*(special["lowest", other],) * 3, row),
            )
            yield Pair(f"typical records and one more ({kind})", typical, (*typical, row))
        zeros = (special["zero", label],) * 5
        yield Pair(
            "a feature that was zero throughout is no longer", zeros, (*zeros, special["highest", label])
        )


def _replaced(classes: int, special: dict[tuple[str, int], int], typical: tuple[int, ...]) -> Iterator[Pair]:
    for label in range(classes):
        other = (label + 1) % classes
        for kind in KINDS:
            row, flipped = special[kind, label], special[kind, other]
            yield Pair(f"a label flips ({kind})", (*typical, row), (*typical, flipped))
            yield Pair(f"the only record's label flips ({kind})", (row,), (flipped,))
        yield Pair(
            "a record jumps across the bounds",
            (*typical, special["lowest", label]),
            (*typical, special["highest", label]),
        )
        yield Pair(
            "a record jumps out of the bounds",
            (*typical, special["lowest", label]),
            (*typical, special["beyond", label]),
        )


def _pool(schema: Schema, rng: np.random.Generator) -> dict[str, list[object]]:
    """Columns of the pool."""
    classes = len(schema.classes)
    table: dict[str, list[object]] = {}
    for feature in schema.features:
        if isinstance(feature, Categorical):
            levels = list(feature.levels)
            drawn: list[object] = [levels[at] for at in rng.integers(len(levels), size=40)]
            chosen: list[object] = [levels[0], levels[-1], levels[0], levels[-1], levels[0]]
        else:
            if isinstance(feature, Numeric):
                low, high = feature.lower, feature.upper
            else:
                low, high = feature.edges[0], feature.edges[-1]
            drawn = [float(value) for value in rng.uniform(low, high, size=40)]
            far = BEYOND * (high - low)
            chosen = [low, high, float(np.clip(0.0, low, high)), high + far, low - far]
        table[feature.name] = [*drawn, *(value for value in chosen for _ in range(classes))]
    labels: list[object] = [schema.classes[at] for at in rng.integers(classes, size=40)]
    table[schema.label] = [*labels, *(label for _ in KINDS for label in schema.classes)]
    return table
