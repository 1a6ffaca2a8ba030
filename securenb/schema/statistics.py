"""The sufficient statistics of Naive Bayes: integers that add.

Law: statistics of a concatenation are the sum of the statistics, exactly.
"""

from dataclasses import dataclass

import numpy as np

from protocols.ring import Integers
from securenb.schema.records import Records
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Statistics:
    """The class counts of a set of records, and what their features add up to.

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
        """The statistics of `records`.

        Raises
        ------
        ValueError
            If a code is `UNKNOWN`, or none of its feature's: it would count for another level or class.
        """
        classes = len(schema.classes)
        table = np.zeros((classes, schema.width), dtype=np.int64)
        labels = records.labels.astype(np.int64)
        table[:, 0] = np.bincount(labels, minlength=classes)
        for feature, columns, codes in zip(schema.features, schema.columns, records.codes.T, strict=True):
            if len(codes) and not 0 <= codes.min() <= codes.max() < feature.size:
                raise ValueError(
                    f"feature {feature.name!r} has codes 0 to {feature.size - 1}, and records hold "
                    f"{codes.min()} to {codes.max()}"
                )
            table[:, columns] = feature.tabulate(codes, labels, classes)
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
