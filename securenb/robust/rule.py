"""The contract of a robust rule: opened rows in, the parameters of one model out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from protocols.catalogue import Catalogue
from protocols.opened import Opened
from protocols.parameters import elsewhere
from protocols.ring import Integers
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Parameters
from securenb.bayes.pooled import Pooled
from securenb.robust.points import check_bound
from securenb.schema.records import Records
from securenb.schema.schema import Schema


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
        """The rows that a protocol opened, brought from the noise's grid to the nearest integers.

        What they hold behind the cells of the schema is left out.
        """
        nearest = (2 * opened.rows[:, : schema.length] + grid) // (2 * grid)
        tables = nearest.reshape(len(opened.rows), len(schema.classes), schema.width)
        return cls(schema, tables, np.array([len(members) for members in opened.members], dtype=np.int64))

    def ordered(self) -> "Rows":
        """The same rows in an order that depends on their content only.

        Combining these makes every rule exactly indifferent to the order in which rows arrive: sums
        are rounded alike, and ties are broken alike.
        """
        keys = [(int(size), table.tobytes()) for size, table in zip(self.sizes, self.tables, strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return Rows(self.schema, self.tables[order], self.sizes[order])


PRIORS = ("counted", "equal")


@dataclass(frozen=True)
class Rule(ABC):
    """Combines opened rows. Implementations are frozen dataclasses; they keep no state and change no input.

    Parameters
    ----------
    smoothing
        Pseudo-count of every probability, see `securenb.bayes.parameters.estimate`.
    malicious
        The most rows that may be malicious: what the rule must withstand. Where nodes are summed in
        groups, one malicious node makes the whole row malicious.
    priors
        Probabilities of the classes: `counted` as the rule combines them, or `equal`, which is what balanced
        accuracy asks for and leaves an attacker nothing to move there.
    """

    smoothing: float = 1.0
    malicious: int = field(default=0, metadata=elsewhere("it follows from malicious_bound"))
    priors: Literal["counted", "equal"] = "counted"

    pools: ClassVar[bool] = False
    """Whether only the sum of the rows matters."""
    shrinks: ClassVar[bool] = False
    """Whether noisy sums are shrunk before it unless it is asked otherwise, see
    `securenb.federation.postprocess.shrunk`."""
    capped: ClassVar[bool] = False
    """Whether it relies on a cap that nodes prove, see `securenb.federation.proven`."""
    increments: ClassVar[bool] = False
    """Whether nodes send increments of counts instead of counts, see `securenb.schema.increments`."""
    votes: ClassVar[bool] = False
    """Whether every row has a model of its own and these vote: `combine` gives the parameters of each."""

    def __post_init__(self) -> None:
        if self.priors not in PRIORS:
            raise ValueError(f"priors are {' or '.join(PRIORS)}, got {self.priors!r}")

    @classmethod
    def for_tests(cls, reference: Records) -> Self:
        """An instance that can combine rows of nodes with records like `reference`."""
        return cls()

    @abstractmethod
    def tolerance(self, rows: int) -> int:
        """The most malicious rows among `rows` that the rule withstands; negative if it cannot run."""

    def tolerated(self, rows: Rows) -> int:
        """The most malicious ones among these very rows that the rule withstands in every cell."""
        return self.tolerance(len(rows.sizes))

    def layout(self, schema: Schema, deviation: Callable[[Schema], float]) -> Schema:
        """What nodes send, for records of a schema; by default its statistics.

        Parameters
        ----------
        deviation
            The standard deviation of the noise on each coordinate of a row of a layout.

        Raises
        ------
        ValueError
            If the rule lacks what it takes to draw a layout, naming it.
        """
        return schema

    def check_nodes(self, nodes: int, malicious: int) -> None:
        """Refuse, with a `ValueError`, more malicious nodes of a row than the rule withstands within it.

        By default none are: rules withstand whole rows (`tolerance`).
        """
        return  # not abstract: most rules have nothing to say

    def unproven(self) -> str:
        """What the rule needs where nodes prove nothing, in words; empty if it can do without."""
        return "nodes that prove a cap: protocol verified, a record cap" if self.capped else ""

    def model(self, rows: Rows) -> NaiveBayes:
        """The model of these rows, without the sums that it may be made from; raises as `combine`."""
        return NaiveBayes(self.combine(rows))

    def combine(self, rows: Rows) -> Parameters:
        """Parameters of one row, table (C, width); the same, to the last bit, for rows in any order.

        Raises
        ------
        ValueError
            If the rule's bound does not hold for these rows, naming the cell where that is the reason.
        """
        what = f"the rule {RULES.name_of(self)!r}"
        check_bound(len(rows.sizes), self.malicious, self.tolerance(len(rows.sizes)), what)
        found = self._combine(rows.ordered())
        if self.priors == "counted":
            return found
        table = found.table.copy()
        table[..., 0] = 1 / len(rows.schema.classes)
        return Parameters(rows.schema, table, found.defined)

    def pooled(self, rows: Rows) -> Pooled | None:
        """The sums that the model is the plain estimate of; `None` where it is more than that."""
        return None

    @abstractmethod
    def _combine(self, rows: Rows) -> Parameters:
        """See `combine`; the bound on rows holds."""


RULES: Catalogue[Rule] = Catalogue("securenb.robust.rules", Rule, "rule", "securenb.rules")
