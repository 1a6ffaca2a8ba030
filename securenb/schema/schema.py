"""The public description of records: classes, features, bounds, levels, grid.

Everything here is public input. Nothing in it is ever read off private data, so publishing it, and the
layout, sensitivity and capacity that follow from it, costs no privacy.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from protocols.canonical import Canonical, digest
from securenb.schema.cells import Codes, Column, shown, texts
from securenb.schema.checks import check_spellings, check_text, check_texts
from securenb.schema.feature import Feature
from securenb.schema.features import Categorical
from securenb.schema.queries import check_queries
from securenb.schema.records import UNKNOWN, Records

Table = pd.DataFrame | Mapping[str, Sequence[str]]
"""Columns by their names: in memory, or as text from a file."""


@dataclass(frozen=True)
class Block:
    """A run of coordinates of one class: the answer to one query.

    Attributes
    ----------
    kind
        What it asks for: `count` of the class's records, or what the feature calls it (`Query.kind`).
    feature
        Index of the feature; -1 for the class count.
    start, stop
        Columns of the table.
    reach
        How far adding or removing one record of the class moves each coordinate that it moves.
    span
        How far a coordinate moves when a record of the class is replaced by another of the same class.
    partition
        Whether every record of the class counts in exactly one coordinate.
    moves
        How many coordinates move, each by at most `reach`, when one record is added or removed.
    """

    kind: str
    feature: int
    start: int
    stop: int
    reach: int
    span: int
    partition: bool = False
    moves: int = 1

    @property
    def width(self) -> int:
        """How many coordinates it has."""
        return self.stop - self.start

    @property
    def columns(self) -> slice:
        """The block's columns."""
        return slice(self.start, self.stop)


@dataclass(frozen=True)
class Schema:
    """What is public about the records.

    Parameters
    ----------
    classes
        The values of the label, as strings.
    features
        The columns that predict it.
    label
        The label's column.
    missing
        Texts that stand for a missing value beside an empty cell, such as ``NA``; a text that is a level of
        a column is that level.
    """

    classes: tuple[str, ...]
    features: tuple[Feature, ...]
    label: str = "label"
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text("the label's name", self.label)
        check_texts("classes", self.classes)
        check_spellings(self.missing)
        names = [feature.name for feature in self.features]
        if not names or len({*names, self.label}) != len(names) + 1:
            raise ValueError(f"needs features with names of their own, none {self.label!r}, got {names}")
        for feature in self.features:
            check_queries(feature)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The queries that one class answers, in the order of the table's columns."""
        blocks = [Block("count", -1, 0, 1, 1, 0)]
        at = 1
        for index, feature in enumerate(self.features):
            for query in feature.queries:
                size = query.reach, query.span, query.partition
                blocks.append(Block(query.kind, index, at, at + query.width, *size))
                at += query.width
        return tuple(blocks)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """Each feature's columns of the table."""
        ends = list(itertools.accumulate((feature.width for feature in self.features), initial=1))
        return tuple(slice(start, stop) for start, stop in itertools.pairwise(ends))

    @property
    def width(self) -> int:
        """Columns of the table: coordinates of one class."""
        return self.blocks[-1].stop

    @property
    def length(self) -> int:
        """Coordinates of the statistics vector."""
        return len(self.classes) * self.width

    @property
    def reach(self) -> int:
        """The most that one record can move any coordinate."""
        return max(block.reach for block in self.blocks)

    def largest(self, record_cap: int) -> int:
        """The most that a coordinate of a node's statistics can be, if it holds at most so many records."""
        return self.reach * record_cap

    def column_name(self, column: int) -> str:
        """What a column of the table is about, for error messages."""
        block = next(block for block in self.blocks if block.start <= column < block.stop)
        return "class count" if block.feature < 0 else f"feature {self.features[block.feature].name!r}"

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over every field (32 bytes): sessions are bound to it."""
        features: list[Canonical] = [feature.canonical() for feature in self.features]
        spellings: list[Canonical] = [list(self.missing)] if self.missing else []
        return digest("securenb schema", list(self.classes), features, self.label, *spellings)

    def histogram(self) -> "Schema":
        """The same schema with every numeric feature as a histogram over its public edges."""
        return replace(self, features=tuple(feature.histogram() for feature in self.features))

    def encode(self, table: Table) -> Codes:
        """Codes of the features, shape (n, F), for prediction; each cell by itself, see `schema.cells`.

        Numbers outside the bounds are clipped. What cannot be encoded (a level that is not in the
        schema, a missing number) becomes `UNKNOWN`, and the model ignores that feature of that record.

        Raises
        ------
        ValueError
            If a column is missing, naming it.
        """
        self._check_columns(table, [feature.name for feature in self.features])
        columns = [self._encoded(feature, table[feature.name]) for feature in self.features]
        return np.stack(columns, axis=1)

    def records(self, table: Table, rows: Sequence[int] | None = None) -> Records:
        """Labelled records, for training and scoring.

        Parameters
        ----------
        table
            The schema's columns and the label.
        rows
            What each row is called in an error; by default they are counted from 1.

        Raises
        ------
        ValueError
            If a column is missing, a label is not one of the classes, or a value cannot be encoded,
            naming column, row and value.
        """
        self._check_columns(table, [*(feature.name for feature in self.features), self.label])
        codes = self.encode(table)
        label = Categorical(self.label, self.classes)
        labels = self._encoded(label, table[self.label])
        self.refuse_unknown(table, np.column_stack([codes, labels]), (*self.features, label), rows)
        return Records(codes, labels)

    def refuse_values(self, table: Table, codes: Codes, rows: Sequence[int] | None = None) -> None:
        """Raise `ValueError` at the first feature's cell that has a value, and none of the schema's.

        What is missing is none: a prediction rests on the other cells then.

        Parameters
        ----------
        codes
            What `encode` made of the table.
        rows
            As for `records`.
        """
        present = codes.copy()
        for place, feature in enumerate(self.features):
            if (codes[:, place] == UNKNOWN).any():
                absent = {"", *self.missing}
                present[np.array([text in absent for text in texts(table[feature.name])]), place] = 0
        self.refuse_unknown(table, present, self.features, rows)

    @staticmethod
    def refuse_unknown(
        table: Table, codes: Codes, features: Sequence[Feature], rows: Sequence[int] | None = None
    ) -> None:
        """Raise `ValueError` at the first cell that has no place in the schema.

        Parameters
        ----------
        codes
            Of the features' columns, shape (n, len(features)).
        rows
            As for `records`.
        """
        if not (codes == UNKNOWN).any():
            return
        at, place = (int(index) for index in np.argwhere(codes == UNKNOWN)[0])
        feature = features[place]
        cells = table[feature.name]
        (text,) = texts(cells.iloc[at : at + 1] if isinstance(cells, pd.Series) else cells[at : at + 1])
        row = at + 1 if rows is None else rows[at]
        why = (
            ""
            if text and feature.bounds is None
            else " (no number)"
            if text
            else " (missing, and it has no place there)"
        )
        raise ValueError(f"row {row}, column {feature.name!r}: {shown(text)} is not in the schema{why}")

    def _encoded(self, feature: Feature, column: Column) -> Codes:
        if self.missing:
            absent = frozenset(self.missing)
            if feature.bounds is None:  # what is one of its values is no missing one
                absent -= frozenset(map(str, feature.decode(np.arange(feature.size, dtype=np.int32))))
            column = ["" if text in absent else text for text in texts(column)]
        return feature.encode(column)

    def _check_columns(self, table: Table, wanted: Sequence[str]) -> None:
        if isinstance(table, pd.DataFrame) and not table.columns.is_unique:
            twice = table.columns[table.columns.duplicated()][0]
            if twice in wanted:
                raise ValueError(f"has column {twice!r} twice")
        absent = [name for name in wanted if name not in table]
        if absent:
            raise ValueError(f"missing column{'s' if len(absent) > 1 else ''} {', '.join(map(repr, absent))}")
