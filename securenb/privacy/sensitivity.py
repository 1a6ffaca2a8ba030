"""How far one change of the data can move each block of the statistics.

Everything follows from the public schema. `docs/privacy.md` derives each number.
"""

from collections.abc import Iterator
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


@dataclass(frozen=True)
class Jump:
    """Shifts of which one happens: a record goes from one value of a feature to another."""

    options: tuple[tuple[Shift, ...], ...]


Case = tuple[Shift | Jump, ...]
"""What one change does to all the blocks that it moves."""


def cases(schema: Schema, adjacency: Adjacency, cap: int = 1) -> tuple[Case, ...]:
    """The worst changes: any change moves the statistics no further than one of these.

    Adding or removing a record moves, in its class alone, the count by 1, one level of each categorical
    or binned feature by 1, and each sum and sum of squares by its reach, all at once. Replacing a record by
    one of another class does that in two classes. Within its class it moves two levels of a feature, or goes
    from one grid point to another: far in the sum or far in the sum of squares, not both.
    What other kinds of features do, they say (`Feature.replaced`).

    Parameters
    ----------
    cap
        How many records change at once: 1, or the most that a node may hold, for privacy of whole nodes.
        All may be alike, and then everything moves `cap` times as far. Records that differ may then move a
        sum and its squares in other proportions than one pair of grid points does, so both move across
        their whole spans.

    Raises
    ------
    ValueError
        If the adjacency is unknown or the cap is not positive.
    """
    if cap < 1:
        raise ValueError(f"at least one record changes, got a cap of {cap}")
    if adjacency == "add-remove":
        return (tuple(Shift(block, block.reach * cap, block.moves) for block in schema.blocks),)
    if adjacency != "replace-one":
        raise ValueError(f"adjacency must be one of {', '.join(ADJACENCIES)}, got {adjacency!r}")
    other_class = tuple(Shift(block, block.reach * cap, 2 * block.moves) for block in schema.blocks)
    if any(block.moves > 1 for block in schema.blocks):
        return (other_class,)  # within a class as many move as when a record is added
    if cap == 1:
        return other_class, tuple(_within(schema))
    same_class = tuple(
        Shift(block, block.span * cap, min(block.width, 2)) for block in schema.blocks if block.span
    )
    return other_class, same_class


def _within(schema: Schema) -> Iterator[Shift | Jump]:
    """What replacing one record within its class does."""
    for at, feature in enumerate(schema.features):
        blocks = [block for block in schema.blocks if block.feature == at]
        options = tuple(
            tuple(Shift(block, by, min(block.width, 2)) for block, by in zip(blocks, option, strict=True))
            for option in feature.replaced
        )
        if len(options) == 1:
            yield from options[0]
        else:
            yield Jump(options)
