"""Counts cut at public thresholds: what nodes send where their votes are summed (`docs/staircase.md`).

A count x of a level in class c becomes increments clip(x − t_{j−1}, 0, t_j − t_{j−1}) over the thresholds
0 = t_0 < t_1 < … < t_J = quota of the class. They add up to x; summed over nodes they say how many nodes hold
more than t_{j−1}. Class counts are not sent.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from protocols.canonical import Canonical, digest
from protocols.ring import Integers
from protocols.validity import Equality, Form, Range, Validity
from securenb.schema.levelled import apportion
from securenb.schema.records import Records
from securenb.schema.schema import Block, Schema

INCREMENT = "increment out of range"
FEATURES = "features do not hold equally many records"
QUOTA = "more records of a class than its quota"
KIND = "increments"


@dataclass(frozen=True)
class Increments(Schema):
    """The layout of increments: for each class, feature by feature, level by level, threshold by threshold.

    Classes with fewer thresholds have columns that are always zero, so that the table is a rectangle.

    Parameters
    ----------
    thresholds
        Of each class, shape (C, J + 1), from 0 to the class's quota; it does not fall.

    Raises
    ------
    ValueError
        If a feature has no levels, naming it and the option that helps; if thresholds are none.
    """

    thresholds: tuple[tuple[int, ...], ...] = field(default=())

    def __post_init__(self) -> None:
        super().__post_init__()
        for feature in self.features:
            if not feature.partition:
                raise ValueError(
                    f"feature {feature.name!r} is {feature.kind}: votes are taken on counts of levels; "
                    'read numbers as histograms (--numeric histogram, or kind = "binned" in the schema)'
                )
        lengths = {len(steps) for steps in self.thresholds}
        if len(self.thresholds) != len(self.classes) or len(lengths) != 1 or lengths < {2}:
            raise ValueError(f"needs thresholds for each of {len(self.classes)} classes, equally many")
        for name, steps in zip(self.classes, self.thresholds, strict=True):
            if steps[0] != 0 or any(low > high for low, high in itertools.pairwise(steps)) or not steps[-1]:
                raise ValueError(f"class {name!r}: thresholds go from 0 up to the quota, got {steps}")

    @classmethod
    def of(cls, base: Schema, thresholds: Sequence[Sequence[int]]) -> "Increments":
        """The layout over a schema; the shorter lists of thresholds are filled up with steps of nothing."""
        longest = max(map(len, thresholds))
        filled = tuple(
            tuple(map(int, steps)) + (int(steps[-1]),) * (longest - len(steps)) for steps in thresholds
        )
        return cls(base.classes, base.features, base.label, base.missing, filled)

    @cached_property
    def base(self) -> Schema:
        """The schema of the records."""
        return Schema(self.classes, self.features, self.label, self.missing)

    @cached_property
    def steps(self) -> Integers:
        """Widths of the increments, shape (C, J)."""
        edges = np.array(self.thresholds, dtype=np.int64)
        return edges[:, 1:] - edges[:, :-1]

    @property
    def quotas(self) -> tuple[int, ...]:
        """The most records of each class that a node counts for."""
        return tuple(steps[-1] for steps in self.thresholds)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One query a feature: a record more moves two of its increments by one at a node that is full."""
        ends = list(itertools.accumulate((self._width(at) for at in range(len(self.features))), initial=0))
        return tuple(
            Block(KIND, index, start, stop, reach=1, span=1, moves=2)
            for index, (start, stop) in enumerate(itertools.pairwise(ends))
        )

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """Each feature's columns."""
        return tuple(block.columns for block in self.blocks)

    def largest(self, record_cap: int) -> int:
        """See `Schema.largest`: no increment is wider than its step."""
        return min(int(self.steps.max()), record_cap)

    def column_name(self, column: int) -> str:
        """See `Schema.column_name`."""
        block = next(block for block in self.blocks if block.start <= column < block.stop)
        return f"increments of feature {self.features[block.feature].name!r}"

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over the schema and the thresholds (32 bytes): sessions are bound to it."""
        steps: list[Canonical] = [list(each) for each in self.thresholds]
        return digest("securenb increments", self.base.digest, steps)

    def kept(self, records: Records) -> Records:
        """The records that a node counts for: of each class the first ones, up to its quota."""
        chosen = np.zeros(len(records), dtype=np.bool_)
        for label, quota in enumerate(self.quotas):
            chosen[np.flatnonzero(records.labels == label)[:quota]] = True
        return records if chosen.all() else records[np.flatnonzero(chosen)]

    def within(self, table: Integers) -> Integers:
        """Statistics that a node may send, shape (C, base width): cut to the quotas, levels in proportion.

        What honest nodes hold is within already; this is for claims of others, such as poisoned tables.
        """
        table = np.maximum(table, 0)
        counts = np.minimum(table[:, 0], self.quotas)
        found = table.copy()
        found[:, 0] = counts
        for columns in self.base.columns:
            cells = found[:, columns]
            wrong = cells.sum(axis=1) != counts
            cells[wrong] = apportion(cells[wrong].astype(np.float64), counts[wrong])
        return found

    def expanded(self, table: Integers) -> Integers:
        """The increments of statistics within the quotas: (C, base width) to (C, width), int64."""
        low = np.array(self.thresholds, dtype=np.int64)[:, None, :-1]
        parts = []
        for columns in self.base.columns:
            cells = np.clip(table[:, columns, None] - low, 0, self.steps[:, None, :])
            parts.append(cells.reshape(len(self.classes), -1))
        return np.concatenate(parts, axis=1)

    def cells(self, table: Integers) -> tuple[Integers, ...]:
        """A table (..., C, width) by features: arrays (..., C, levels, J)."""
        shape = table.shape[:-1]
        return tuple(table[..., part].reshape(*shape, -1, self.steps.shape[1]) for part in self.columns)

    def validity(self, cap: int) -> Validity:
        """What a node proves: increments within their steps, equally many records in all features of a class.

        And at most its quota of them. That increments fill up from below is not proven: no theorem needs it.

        Parameters
        ----------
        cap
            Not looked at: the quotas are.
        """
        ranges: list[Range] = []
        equalities: list[Equality] = []
        for index, quota in enumerate(self.quotas):
            first = index * self.width
            steps = self.steps[index]
            for block in self.blocks:
                for column in range(block.start, block.stop):
                    step = int(steps[(column - block.start) % len(steps)])
                    ranges.append(Range(INCREMENT, Form(((first + column, 1),)), step))
            held = [
                tuple((first + column, 1) for column in range(block.start, block.stop))
                for block in self.blocks
            ]
            ranges.append(Range(QUOTA, Form(held[0]), quota))
            for other in held[1:]:
                minus = tuple((column, -1) for column, _ in held[0])
                equalities.append(Equality(FEATURES, Form((*other, *minus))))
        return Validity(self.length, tuple(ranges), tuple(equalities))

    def _width(self, feature: int) -> int:
        return self.features[feature].size * (len(self.thresholds[0]) - 1)
