"""Neighbouring data sets that have caught releases: empty classes, first records, corners, flips."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from securenb.privacy.sensitivity import Adjacency
from securenb.schema.schema import Schema

BEYOND = 10.0
"""How far outside its bounds, in widths of them, an out-of-range number is."""


TYPICAL = 40
"""Random records that small data sets are made of."""

MORE = 4_000
"""Further random records: a crowd that holds nearly all combinations of few values."""

RANDOM = 60
"""Pairs that are drawn; what they might meet by chance `attacks.audit.worst_neighbour` looks for."""

SIZES = (1, 9, 19, 49, 99, 100, 199, 255, 256, 499, 999)
"""Records of nodes that get one more: where counters and thresholds turn."""

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
    special
        Rows of special records, those of `KINDS`.
    crowd
        Rows of random records.
    """

    pool: pd.DataFrame
    pairs: tuple[Pair, ...]
    corner: int
    opposite: int
    special: range
    crowd: range


def neighbours(
    schema: Schema, adjacency: Adjacency, rng: np.random.Generator, random: int = RANDOM
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
    # the pool's rows: `TYPICAL` random ones, those of `KINDS` for each class, then `MORE`
    special = {
        (kind, label): TYPICAL + kind_index * classes + label
        for kind_index, kind in enumerate(KINDS)
        for label in range(classes)
    }
    pairs = list(_added(classes, special, typical) if adjacency == "add-remove" else ())
    if adjacency == "replace-one":
        pairs += _replaced(classes, special, typical)
    for index in range(random):
        base = tuple(int(row) for row in rng.integers(TYPICAL, size=rng.integers(1, 12)))
        extra, other = (int(row) for row in rng.integers(TYPICAL + len(KINDS) * classes, size=2))
        extra = TYPICAL + len(KINDS) * classes + index if index < MORE else extra
        if adjacency == "add-remove":
            pairs.append(Pair(f"random records, one added ({index})", base, (*base, extra), random=True))
        else:
            pairs.append(
                Pair(f"random records, one replaced ({index})", (*base, other), (*base, extra), random=True)
            )
    pairs += _sized(classes, special, adjacency)
    crowd = range(TYPICAL + len(KINDS) * classes, len(pool))
    corners = special["highest", 0], special["highest", 1]
    return Neighbours(pool, tuple(pairs), *corners, range(TYPICAL, crowd.start), crowd)


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


def _sized(classes: int, special: dict[tuple[str, int], int], adjacency: Adjacency) -> Iterator[Pair]:
    """Nodes of many records; of one class, so that its cells pass every number on the way."""
    for size in SIZES:
        for label in range(classes):
            held = (special["highest", label],) * size
            if adjacency == "add-remove":
                more = (*held, special["highest", label])
                yield Pair(f"{size} records of a class, and one more", held, more, random=True)
            else:
                other = special["highest", (label + 1) % classes]
                pair = (*held, other), (*held, special["highest", label])
                yield Pair(f"{size} records of a class, and one that joins it", *pair, random=True)


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
        if feature.bounds is None:
            drawn = feature.decode(rng.integers(feature.size, size=TYPICAL + MORE).astype(np.int32))
            first, last = feature.decode(np.array([0, feature.size - 1], dtype=np.int32))
            chosen = [first, last, first, last, first]
        else:
            low, high = feature.bounds
            drawn = [float(value) for value in rng.uniform(low, high, size=TYPICAL + MORE)]
            far = BEYOND * (high - low)
            chosen = [low, high, float(np.clip(0.0, low, high)), high + far, low - far]
        special = [value for value in chosen for _ in range(classes)]
        table[feature.name] = [*drawn[:TYPICAL], *special, *drawn[TYPICAL:]]
    labels: list[object] = [schema.classes[at] for at in rng.integers(classes, size=TYPICAL + MORE)]
    chosen_labels: list[object] = [label for _ in KINDS for label in schema.classes]
    table[schema.label] = [*labels[:TYPICAL], *chosen_labels, *labels[TYPICAL:]]
    return table
