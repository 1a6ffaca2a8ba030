"""The contract of a robust rule: opened rows in, the parameters of one model out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.catalogue import Catalogue
from protocols.opened import Opened
from protocols.ring import Integers
from securenb.parameters import Parameters
from securenb.schema import Schema


@dataclass(frozen=True, eq=False)
class Rows:
    """What a rule sees: one table of statistics for each opened group.

    Attributes
    ----------
    schema
        Says what each column means.
    tables
        Shape (g, C, width), int64.
    sizes
        How many nodes each row sums, shape (g,); from the protocol, never from a node.
    """

    schema: Schema
    tables: Integers
    sizes: NDArray[np.int64]

    def __post_init__(self) -> None:
        shape = (len(self.sizes), len(self.schema.classes), self.schema.width)
        if self.tables.shape != shape or self.tables.dtype != np.int64 or not len(self.sizes):
            raise ValueError(
                f"expected int64 tables of shape {shape}, at least one row, "
                f"got {self.tables.dtype} {self.tables.shape}"
            )

    @classmethod
    def of(cls, schema: Schema, opened: Opened, grid: int = 1) -> "Rows":
        """The rows that a protocol opened, brought from the noise's grid to the nearest integers."""
        nearest = (2 * opened.rows + grid) // (2 * grid)
        tables = nearest.reshape(len(opened.rows), len(schema.classes), schema.width)
        return cls(schema, tables, np.array([len(members) for members in opened.members], dtype=np.int64))


@dataclass(frozen=True)
class Rule(ABC):
    """Combines opened rows. Implementations are frozen dataclasses; they keep no state and change no input.

    Parameters
    ----------
    smoothing
        Pseudo-count of every probability, see `securenb.parameters.estimate`.
    """

    smoothing: float = 1.0

    @abstractmethod
    def combine(self, rows: Rows) -> Parameters:
        """Parameters of one row, table (C, width).

        Raises
        ------
        ValueError
            If the rule's bound does not hold for these rows, naming the cell where that is the reason.
        """


RULES: Catalogue[Rule] = Catalogue("securenb.rules", Rule, "rule")
