"""A search for neighbours that tell most: crowds that are halved, sizes that the code names, worst values.

A crowd holds nearly all combinations of few values at once. Where one is treated otherwise than no records
are, halving finds a prefix of it that is not, while the next record makes the difference: neighbours.
"""

import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd

from attacks.audit.neighbours import Neighbours, Pair
from attacks.audit.target import Replay, Target
from securenb.privacy.sensitivity import Adjacency

LARGEST = 5_000
"""Sizes that are tried: up to here."""

MOST_SIZES = 24

VALUES = 6
"""Values of a feature that are tried for the worst record, at most."""

OWN = Path(__file__).parent

Replayed = Callable[[tuple[int, ...]], Replay | None]
"""One run on some rows of the pool, noise frozen; `None` if they are refused."""


def crowd_pair(
    neighbours: Neighbours, crowd: Sequence[int], replayed: Replayed, adjacency: Adjacency, most: int | None
) -> Pair | None:
    """Neighbours of which one is treated otherwise than no records are; `None` if the crowd is not."""
    nothing = replayed(())
    rows = tuple(crowd[:most])

    def odd(count: int) -> bool:
        found = replayed(rows[:count])
        if found is None or nothing is None:
            return (found is None) != (nothing is None)
        if found.calls != nothing.calls or not _same(found.landed, nothing.landed):
            return True
        twice = replayed(rows[:count] * 2) if most is None or 2 * count <= most else None
        return twice is not None and not np.array_equal(
            twice.values - nothing.values, 2 * (found.values - nothing.values)
        )

    if not odd(len(rows)):
        return None
    low, high = 0, len(rows)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if odd(middle) else (middle, high)
    before, after = rows[:low], rows[:high]
    if adjacency == "replace-one":
        before = (*before, neighbours.opposite)
    return Pair(f"{low} records of many kinds, and one more", before, after, random=True)


def _same(one: Any, other: Any) -> bool:
    return one is None or other is None or np.array_equal(one, other)


def named_sizes(run: Callable[[], object]) -> Sequence[int]:
    """Whole numbers that the audited code has for constants, in functions that a run calls."""
    codes: set[CodeType] = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    if sys.getprofile() is not None:  # this process is being measured: it stays so
        return ()
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    library = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
    found = {
        number
        for code in codes
        if not code.co_filename.startswith(("<", *library)) and OWN not in Path(code.co_filename).parents
        for number in _whole(code.co_consts)
    }
    return sorted(found)[:MOST_SIZES]


def _whole(constants: Sequence[object]) -> Iterator[int]:
    for each in constants:
        if isinstance(each, tuple):
            yield from _whole(each)
        elif type(each) is int and 2 < each <= LARGEST:
            yield each


def size_pairs(sizes: Sequence[int], neighbours: Neighbours, adjacency: Adjacency) -> list[Pair]:
    """Around each size, one record more of a class that has so many."""
    found = []
    for size in sizes:
        for count in (size - 1, size):
            for row, other in (
                (neighbours.corner, neighbours.opposite),
                (neighbours.opposite, neighbours.corner),
            ):
                held = (row,) * count
                before = held if adjacency == "add-remove" else (*held, other)
                what = f"{count} records of a class, and one more"
                found.append(Pair(what, before, (*held, row), random=True))
    return found


def worst_record(
    target: Target, neighbours: Neighbours, adjacency: Adjacency, loss: Callable[[Any, Any], float]
) -> tuple[Any, Any, str]:
    """Typical records, and those with one more, or another, that loses most: each feature's worst values.

    Parameters
    ----------
    loss
        Of records before and after.
    """
    base, special = neighbours.pool.head(20), neighbours.pool.iloc[list(neighbours.special)]
    start = special.iloc[0]
    replaced = adjacency == "replace-one"
    tried: list[tuple[str, object, object]] = []
    for name in base.columns:
        values = list(dict.fromkeys([*special[name], *neighbours.pool[name].iloc[:4]]))
        values = values[:3] + values[-3:] if len(values) > VALUES else values
        if replaced and name != target.schema.label:
            tried += [(name, one, other) for one in values[:5] for other in values[:5] if one != other]
        else:
            tried += [(name, value, value) for value in values]
    rows = pd.DataFrame(
        [{**start, name: value} for name, *both in tried for value in both], columns=base.columns
    )
    records = target.encode(pd.concat([base, rows], ignore_index=True))
    typical = np.arange(len(base))
    alone = records[typical]

    def pair(at: int) -> tuple[Any, Any]:
        one, other = (records[np.append(typical, at + step)] for step in (0, 1))
        return (one if replaced else alone), other

    worst: dict[str, tuple[float, object, object]] = {}
    for at, (name, one, other) in enumerate(tried):
        lost = loss(*pair(len(base) + 2 * at))
        if name not in worst or lost > worst[name][0]:
            worst[name] = lost, one, other
    both = [{name: values[side] for name, values in worst.items()} for side in (1, 2)]
    table = pd.concat([base, pd.DataFrame(both, columns=base.columns)], ignore_index=True)
    records = target.encode(table)
    return *pair(len(base)), "typical records and the worst one that was found"
