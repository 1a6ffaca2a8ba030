"""Pairs of neighbouring inputs, given or made up; loaded beside `driver`, in the release's interpreter."""

from __future__ import annotations

import random
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]


def pairs_of(neighbours: str | None, data: Any, adjacency: str, from_file: Any) -> Any:
    """Pairs from a file that defines `pairs()`, from a table, or by default from numbers between 0 and 1."""
    if neighbours:
        module = from_file(neighbours)
        if not hasattr(module, "pairs"):
            raise ValueError(f"{neighbours} does not define pairs()")
        return list(module.pairs())
    if data:
        return around(data, adjacency)
    return plain_pairs(adjacency)


def plain_pairs(adjacency: str) -> Any:
    """Neighbouring arrays of numbers between 0 and 1."""
    generator = random.Random(0)  # noqa: S311
    some = [round(generator.random(), 3) for _ in range(20)]
    if adjacency == "replace-one":
        found = [
            ([*some, 0.0], [*some, 1.0], "20 numbers, and a 0 that becomes a 1"),
            ([0.0] * 21, [0.0] * 20 + [1.0], "21 zeros, one of which becomes a 1"),
            ([1.0], [0.0], "a single 1 that becomes a 0"),
        ]
    else:
        found = [
            (some, [*some, 1.0], "20 numbers, and a 1 more"),
            (some, [*some, 0.0], "20 numbers, and a 0 more"),
            ([0.0] * 20, [0.0] * 20 + [1.0], "20 zeros, and a 1 more"),
            ([0.0], [0.0, 1.0], "a single 0, and a 1 more"),
            ([], [1.0], "nothing, and a single 1"),
        ]
    if np is None:
        return found
    return [(np.array(one), np.array(other), name) for one, other, name in found]


def labelled(adjacency: str) -> Any:
    """Neighbouring (X, y) of two features between 0 and 1 and two classes."""
    generator = random.Random(0)  # noqa: S311
    X = [[round(generator.random(), 3), round(generator.random(), 3)] for _ in range(20)]
    y = [index % 2 for index in range(20)]
    corner, opposite = [1.0, 1.0], [0.0, 0.0]
    rows = [
        (([*X, opposite], [*y, 1]), ([*X, corner], [*y, 1]), "a record jumps across the bounds"),
        (([*X, corner], [*y, 0]), ([*X, corner], [*y, 1]), "a label flips"),
        (([*X, corner], [*y, 1]), ([*X, [50.0, 50.0]], [*y, 1]), "a record jumps far out of the bounds"),
    ]
    if adjacency == "add-remove":
        rows = [
            ((X, y), ([*X, corner], [*y, 1]), "20 records, and one in the corner more"),
            ((X, y), ([*X, [50.0, 50.0]], [*y, 1]), "20 records, and one far out of the bounds"),
            (([*X, corner], [*y, 2]), (X, y), "a class loses its only record"),
        ]
    if np is None:
        return rows
    return [(*tuple((np.array(one), np.array(two)) for one, two in row[:2]), row[2]) for row in rows]


def around(path: str, adjacency: str) -> Any:
    """Pairs around a table: a row of it is taken out, or replaced by another row of it."""
    import pandas as pd

    table = pd.read_csv(path)
    if len(table) < 2:
        raise ValueError(f"{path} has {len(table)} rows; neighbours need at least two")
    chosen = {0: "the first row", len(table) - 1: "the last row"}
    for column in table.columns:
        values = table[column]
        if values.dtype.kind in "fiu":
            chosen[int(values.fillna(values.min()).to_numpy().argmax())] = (
                f"the row with the largest {column}"
            )
            chosen[int(values.fillna(values.max()).to_numpy().argmin())] = f"the row with the least {column}"
        else:
            rarest = values.astype(str).value_counts().index[-1]
            chosen[int((values.astype(str) == rarest).to_numpy().argmax())] = f"a row with {column} {rarest}"
    rows = sorted(chosen)[:24]
    if adjacency == "replace-one":
        return [
            (
                table.drop(index=row).reset_index(drop=True),
                table.drop(index=other).reset_index(drop=True),
                f"{chosen[other]} replaced by {chosen[row]}",
            )
            for row, other in zip(rows, rows[1:] + rows[:1])  # noqa: B905 - Python 3.8 has no strict
            if row != other
        ]
    return [(table, table.drop(index=row).reset_index(drop=True), f"{chosen[row]} taken out") for row in rows]
