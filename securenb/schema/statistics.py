"""The sufficient statistics of Naive Bayes: integers that add.

Law: statistics of a concatenation are the sum of the statistics, exactly.
"""

from dataclasses import dataclass

import numpy as np

from protocols.ring import Integers
from securenb.schema.feature import Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Statistics:
    """Counts, sums and sums of squares of a set of records.

    Attributes
    ----------
    schema
        Says what each column of the table means (`Schema.blocks`).
    table
        One row a class, shape (C, width), int64.
    """

    schema: Schema
    table: Integers

    def __post_init__(self) -> None:
        shape = (len(self.schema.classes), self.schema.width)
        if self.table.shape != shape or self.table.dtype != np.int64:
            raise ValueError(
                f"expected an int64 table of shape {shape}, got {self.table.dtype} {self.table.shape}"
            )

    @classmethod
    def of(cls, schema: Schema, records: Records) -> "Statistics":
        """The statistics of `records`, whose codes must all be known."""
        classes = len(schema.classes)
        table = np.zeros((classes, schema.width), dtype=np.int64)
        labels = records.labels.astype(np.int64)
        for block in schema.blocks:
            if block.kind == "count":
                table[:, 0] = np.bincount(labels, minlength=classes)
                continue
            codes = records.codes[:, block.feature].astype(np.int64)
            feature = schema.features[block.feature]
            if isinstance(feature, Numeric):
                centred = codes - feature.offset
                values = centred if block.kind == "sum" else centred**2 - feature.square_offset
                # float64 weights are exact: no sum reaches 2^53 (Capacity keeps them far below)
                table[:, block.start] = np.bincount(labels, weights=values, minlength=classes).astype(
                    np.int64
                )
            else:
                levels = len(feature.levels)
                cells = np.bincount(labels * levels + codes, minlength=classes * levels)
                table[:, block.columns] = cells.reshape(classes, levels)
        return cls(schema, table)

    @classmethod
    def zero(cls, schema: Schema) -> "Statistics":
        """The statistics of no records."""
        return cls(schema, np.zeros((len(schema.classes), schema.width), dtype=np.int64))

    @classmethod
    def from_vector(cls, schema: Schema, vector: Integers) -> "Statistics":
        """Inverse of `vector`."""
        if vector.shape != (schema.length,):
            raise ValueError(f"expected a vector of length {schema.length}, got shape {vector.shape}")
        return cls(schema, vector.reshape(len(schema.classes), schema.width))

    def vector(self) -> Integers:
        """Class by class, block by block: what protocols sum, shape (d,), int64."""
        return self.table.reshape(-1).copy()

    def __add__(self, other: "Statistics") -> "Statistics":
        if other.schema != self.schema:
            raise ValueError("statistics of different schemas do not add")
        return Statistics(self.schema, self.table + other.table)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Statistics)
            and self.schema == other.schema
            and bool(np.array_equal(self.table, other.table))
        )

    __hash__ = None  # type: ignore[assignment]
