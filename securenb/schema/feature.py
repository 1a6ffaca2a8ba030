"""The contract of a feature: one column of the records, and everything that follows from what it holds.

A feature takes a run of columns of the table of statistics, the same in every class. It says how a value
becomes a small integer, what a record adds to its columns and how far, what honest sums satisfy, how sums
become parameters, and how parameters score a value. Nothing else in the project asks of which kind it is.

Methods that raise `ValueError` here are what a kind may leave out: what needs them refuses it by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from protocols.canonical import Canonical
from protocols.catalogue import Catalogue
from protocols.ring import Integers
from protocols.validity import Equality, Product, Range
from securenb.schema.cells import Codes, Column

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Query:
    """Coordinates of one feature in one class that get noise, and are charged for, together.

    One record moves at most one of them; what moves together belongs to several queries.

    Attributes
    ----------
    kind
        What it asks for, in a word.
    width
        How many coordinates.
    reach
        How far adding or removing a record can move a coordinate.
    span
        How far a coordinate can move when a record is replaced by another of the same class.
    partition
        Whether every record counts as 1 in exactly one coordinate, so that they sum to the class count.
    """

    kind: str
    width: int
    reach: int
    span: int
    partition: bool = False


@dataclass(frozen=True, eq=False)
class Evidence:
    """Log densities of fixed values under parameters that change, as a matrix product.

    Attributes
    ----------
    design
        Shape (k, n), one column a value.
    weights
        Parameters (..., C, width) to weights (..., C, k) and constants (..., C): the log density of value
        i is weights @ design[:, i] + constant, up to what is the same in every class.
    """

    design: Floats
    weights: Callable[[Floats], tuple[Floats, Floats]]


class Feature(ABC):
    """One column. Implementations are frozen dataclasses; their fields are what a schema file may say.

    Codes that methods are given are 0 … `size` − 1, never `securenb.schema.records.UNKNOWN`.
    """

    name: str

    @property
    def kind(self) -> str:
        """The name of the kind in `FEATURES`."""
        return FEATURES.name_of(self)

    # what values are

    @property
    @abstractmethod
    def size(self) -> int:
        """How many codes there are."""

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Public bounds of the values where they are numbers, `None` where they are text."""
        return None

    @abstractmethod
    def encode(self, column: Column) -> Codes:
        """Codes of the values, shape (n,); `securenb.schema.records.UNKNOWN` for what it cannot hold."""

    @abstractmethod
    def decode(self, codes: Codes) -> list[object]:
        """Values that encode to these codes."""

    @abstractmethod
    def canonical(self) -> list[Canonical]:
        """All that the statistics depend on, for the schema's digest; the kind's name comes first."""

    def histogram(self) -> "Feature":
        """The same column with a count for each level or bin.

        Raises
        ------
        ValueError
            If there are no public edges to make bins of.
        """
        return self

    # what a record adds

    @property
    @abstractmethod
    def queries(self) -> tuple[Query, ...]:
        """What is asked of a class, in the order of the columns."""

    @property
    def width(self) -> int:
        """How many columns the feature takes."""
        return sum(query.width for query in self.queries)

    @property
    def partition(self) -> bool:
        """Whether it is all counts of levels, one of which every record has."""
        return all(query.partition for query in self.queries)

    @property
    def replaced(self) -> tuple[tuple[int, ...], ...]:
        """What replacing a record within its class can do: one of these, how far each query moves."""
        return (tuple(query.span for query in self.queries),)

    @property
    @abstractmethod
    def coordinates(self) -> tuple[str, ...]:
        """What each column holds, for people."""

    @abstractmethod
    def added(self, codes: Codes) -> Integers:
        """What a record with each code adds to its class, shape (n, width), int64."""

    def tabulate(self, codes: Codes, labels: NDArray[np.int64], classes: int) -> Integers:
        """What records add up to in each class, shape (classes, width), int64: the sum of `added`."""
        table = np.zeros((classes, self.width), dtype=np.int64)
        for at, values in enumerate(self.added(codes).T):
            # float64 weights are exact: no sum reaches 2^53 (Capacity keeps them far below)
            table[:, at] = np.bincount(labels, weights=values, minlength=classes).astype(np.int64)
        return table

    # from sums to parameters

    @abstractmethod
    def estimate(self, sums: Floats, counts: Floats, smoothing: float) -> tuple[Floats, Mask]:
        """Parameters of each class, and where there were records to estimate them from.

        Finite for any sums, which noise may have made negative or inconsistent.

        Parameters
        ----------
        sums
            Shape (..., C, width).
        counts
            Records of each class, shape (..., C), not negative.
        smoothing
            Pseudo-count added to every probability, positive.

        Returns
        -------
        Both of the shape of `sums`.
        """

    def shrunk(self, sums: Floats, counts: Floats, noise: Floats) -> Floats:
        """Sums (..., C, width) pulled towards what all classes share, see `securenb.schema.shrinking`.

        As they are for a kind that has nothing to pull.

        Parameters
        ----------
        counts
            Records of each class, whole numbers, shape (..., C), at least 1.
        noise
            Variance of the noise in each column, shape (..., width), positive.
        """
        return sums

    def normalised(self, parameters: Floats) -> Floats:
        """Parameters (..., width) that are legal again after a rule combined them one by one."""
        return parameters

    @abstractmethod
    def closest(self, average: Floats) -> NDArray[np.int64]:
        """The code whose records come nearest to adding this each, (..., width) in, (...) out."""

    @abstractmethod
    def draw(self, parameters: Floats, count: int, rng: np.random.Generator) -> Codes:
        """Codes drawn from the parameters (width,) of one class, shape (count,)."""

    # from parameters to scores

    @abstractmethod
    def log_density(self, parameters: Floats, codes: Codes) -> Floats:
        """Log density of codes (...) under parameters (..., width), broadcast against each other."""

    def evidence(self, codes: Codes) -> Evidence:
        """The log densities of fixed codes (n,) as a matrix product; here with an indicator a code."""
        every = np.arange(self.size, dtype=np.int32)

        def weights(parameters: Floats) -> tuple[Floats, Floats]:
            return self.log_density(parameters[..., None, :], every), np.zeros(parameters.shape[:-1])

        return Evidence((codes == every[:, None]).astype(np.float64), weights)

    @abstractmethod
    def describe(self, parameters: Floats) -> list[str]:
        """What is expected in each class, given parameters (C, width), in a few words."""

    @abstractmethod
    def points(self, parameters: Floats) -> Floats:
        """Parameters (..., width) where distances make sense, see `securenb.robust.points`."""

    @abstractmethod
    def parameters_at(self, points: Floats) -> Floats:
        """Inverse of `points`."""

    # what a kind may leave out

    def invariants(self, count: int, start: int, cap: int) -> Sequence[Range | Equality | Product]:
        """What statistics of at most `cap` records satisfy, for a proof of it.

        Parameters
        ----------
        count, start
            Where the class count, and the first of the feature's coordinates, stand in the vector.
        """
        self._refused("an honest contribution cannot be proven")

    def nearest_valid(self, sums: Floats, claimed: Floats, counts: Integers) -> Integers:
        """Sums of `counts` (C,) records near `sums` (C, width), made for `claimed` (C,) records.

        They satisfy `invariants`.
        """
        self._refused("forged statistics cannot be brought within its invariants")

    def sums_of(self, parameters: Floats, counts: Floats, smoothing: float) -> Floats:
        """Inverse of `estimate`: real sums (C, width) that give these parameters for `counts` (C,)."""
        self._refused("statistics cannot be forged for wanted parameters")

    def legal(self, points: Floats) -> Floats:
        """The nearest points (C, width) that are some parameters'; see `points`."""
        self._refused("statistics cannot be forged for a wanted point")

    def product(self, parameters: Sequence[Floats], powers: Sequence[float]) -> tuple[Floats, Floats]:
        """Parameters of the product of powers of densities, (C, width), and the log of its mass, (C,)."""
        self._refused("evidence cannot be weighed feature by feature")

    def _refused(self, why: str) -> NoReturn:
        raise ValueError(f"feature {self.name!r} is of the kind {self.kind!r}, for which {why}")


FEATURES: Catalogue[Feature] = Catalogue(
    "securenb.schema.features", Feature, "kind of feature", "securenb.features"
)
