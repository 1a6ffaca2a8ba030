"""One column of the records: what it may hold, and how a value becomes a small integer."""

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from securenb.schema.cells import Codes, Column, blank, look_up, numbers
from securenb.schema.checks import check_bounds, check_edges, check_text, check_texts
from securenb.schema.records import UNKNOWN

LEVEL = "level"
"""What a schema says of a missing number that is to be counted by itself; histograms can."""

MissingNumber = float | Literal["level"] | None
"""The number that a missing one becomes, or `LEVEL`; without either it is refused."""


@dataclass(frozen=True)
class Categorical:
    """A feature with a fixed set of levels.

    Parameters
    ----------
    name
        The column.
    levels
        Every value it may take, as strings.
    missing
        The level that stands for a missing value; without it a missing value is refused.
    """

    name: str
    levels: tuple[str, ...]
    missing: str | None = None

    def __post_init__(self) -> None:
        check_text("a feature's name", self.name)
        check_texts(f"levels of {self.name}", self.levels)
        if self.missing is not None and self.missing not in self.levels:
            raise ValueError(f"{self.name}: the missing value {self.missing!r} is not one of its levels")

    def encode(self, column: Column) -> Codes:
        """Level indices, shape (n,); `UNKNOWN` where a value is none of the levels.

        Spaces around a value are ignored; an empty one is missing. A value is its text, but for one thing:
        pandas turns a column of whole numbers with a gap into floats, so that ``3.0`` is the level ``3``
        where there is no level ``3.0``.
        """
        places = {level: place for place, level in enumerate(self.levels)}

        def code(text: str) -> int:
            text = text or (self.missing or "")
            return places.get(text, places.get(text.removesuffix(".0"), UNKNOWN))

        return look_up(column, code)


@dataclass(frozen=True)
class Numeric:
    """A number between public bounds, on a public grid; modelled by a Gaussian per class.

    Values are clipped to the bounds and rounded to the nearest of `steps` + 1 grid points at the node,
    so that sums and sums of squares are integers.

    Parameters
    ----------
    name
        The column.
    lower, upper
        Public bounds, in the column's unit.
    steps
        Grid intervals between the bounds; even, at most 65,536.
    edges
        Public bin edges, increasing, for the histogram mode (`Schema.histogram`).
    centred
        Whether sums are taken around the middle of the bounds, which halves their sensitivity.
    missing
        The public number within the bounds that a missing one becomes: a record without it moves the sums no
        further than any other. `LEVEL` gives the histogram one more count, and a Gaussian has no use for it.
    """

    name: str
    lower: float
    upper: float
    steps: int = 64
    edges: tuple[float, ...] | None = None
    centred: bool = True
    missing: MissingNumber = None

    def __post_init__(self) -> None:
        check_text("a feature's name", self.name)
        steps = check_bounds(self.name, self.lower, self.upper, self.steps)
        object.__setattr__(self, "steps", steps)
        if self.edges is not None:
            check_edges(self.name, self.edges)
        if isinstance(self.missing, str):
            if self.edges is None:
                raise ValueError(f"{self.name}: a level for missing numbers needs edges, for the histogram")
        elif self.missing is not None and not self.lower <= self.missing <= self.upper:
            raise ValueError(f"{self.name}: a missing number becomes {self.missing}, outside the bounds")

    @property
    def step(self) -> float:
        """Width of a grid interval, in the column's unit."""
        return (self.upper - self.lower) / self.steps

    @property
    def offset(self) -> int:
        """The grid point that sums are taken around."""
        return self.steps // 2 if self.centred else 0

    @property
    def square_offset(self) -> int:
        """What is subtracted from each square, so that squares too are centred on their range."""
        return self.offset**2 // 2

    @property
    def reach(self) -> int:
        """How far one record can move the sum."""
        return self.steps - self.offset

    @property
    def square_reach(self) -> int:
        """How far one record can move the sum of squares."""
        return self.reach**2 - self.square_offset

    def encode(self, column: Column) -> Codes:
        """Grid points 0 … `steps`, shape (n,); `UNKNOWN` where the value is missing or no finite number."""
        found = numbers(column)
        lacking = np.isnan(found)
        if self.missing is not None and not isinstance(self.missing, str) and lacking.any():
            found[blank(column)] = self.missing
            lacking = np.isnan(found)
        grid = np.rint((np.clip(found, self.lower, self.upper) - self.lower) / self.step)
        return np.where(lacking, UNKNOWN, grid).astype(np.int32)


@dataclass(frozen=True)
class Binned:
    """A number as a histogram: the bin it falls in, one count each.

    Bin i holds edges[i] ≤ x < edges[i+1]; what lies outside falls in the first or last bin.

    Parameters
    ----------
    name
        The column.
    edges
        Public and increasing, at least three.
    missing
        The number that a missing one becomes; or `LEVEL`, and it is counted by itself, after the bins.
    """

    name: str
    edges: tuple[float, ...]
    missing: MissingNumber = None

    def __post_init__(self) -> None:
        check_text("a feature's name", self.name)
        check_edges(self.name, self.edges)

    @property
    def levels(self) -> tuple[str, ...]:
        """A label for each bin, and one for missing numbers if they are counted."""
        bins = tuple(f"[{a:g}, {b:g})" for a, b in itertools.pairwise(self.edges))
        return (*bins, "missing") if self.missing == LEVEL else bins

    def encode(self, column: Column) -> Codes:
        """Bin indices, shape (n,); `UNKNOWN` where the value is missing or no finite number."""
        found = numbers(column)
        bins = np.searchsorted(np.asarray(self.edges[1:-1]), found, side="right")
        bins = np.where(np.isnan(found), UNKNOWN, bins)
        if self.missing is not None and np.isnan(found).any():
            bins[blank(column)] = (
                len(self.edges) - 1
                if self.missing == LEVEL
                else np.searchsorted(np.asarray(self.edges[1:-1]), self.missing, side="right")
            )
        return bins.astype(np.int32)


Feature = Categorical | Numeric | Binned
