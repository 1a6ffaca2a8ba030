"""How far one change of the data can move each block of the statistics.

Everything follows from the public schema. `docs/privacy.md` derives each number.
"""

from dataclasses import dataclass
from typing import Literal

from securenb.schema.schema import Block, Schema

Adjacency = Literal["add-remove", "replace-one"]
"""Neighbouring data sets: one record more or less, or one record changed."""

ADJACENCIES: tuple[Adjacency, ...] = ("add-remove", "replace-one")


@dataclass(frozen=True)
class Shift:
    """`times` coordinates of a block move by at most `by` each."""

    block: Block
    by: int
    times: int = 1


def cases(schema: Schema, adjacency: Adjacency, cap: int = 1) -> tuple[tuple[Shift, ...], ...]:
    """The worst changes: any change moves the statistics no further than one of these.

    Adding or removing a record moves, in its class alone, the count by 1, one level of each categorical
    or binned feature by 1, and each sum and sum of squares by its reach. Replacing a record by one of
    another class does that in two classes. Within its class it moves two levels of a feature, or a sum
    across its span, and no count.

    Parameters
    ----------
    cap
        How many records change at once: 1, or the most that a node may hold, for privacy of whole nodes.
        All may be alike, and then everything moves `cap` times as far.

    Raises
    ------
    ValueError
        If the adjacency is unknown or the cap is not positive.
    """
    if cap < 1:
        raise ValueError(f"at least one record changes, got a cap of {cap}")
    if adjacency == "add-remove":
        return (tuple(Shift(block, block.reach * cap) for block in schema.blocks),)
    if adjacency != "replace-one":
        raise ValueError(f"adjacency must be one of {', '.join(ADJACENCIES)}, got {adjacency!r}")
    other_class = tuple(Shift(block, block.reach * cap, 2) for block in schema.blocks)
    same_class = tuple(
        Shift(block, block.span * cap, 2 if block.kind == "levels" else 1)
        for block in schema.blocks
        if block.kind != "count"
    )
    return other_class, same_class
