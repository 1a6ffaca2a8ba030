"""One column of the records: what it may hold, and how a value becomes a small integer."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.schema.records import UNKNOWN

Codes = NDArray[np.int32]


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
        if len(self.levels) < 2 or len(set(self.levels)) != len(self.levels):
            raise ValueError(f"{self.name}: needs at least two levels, all different, got {self.levels}")
        if self.missing is not None and self.missing not in self.levels:
            raise ValueError(f"{self.name}: the missing value {self.missing!r} is not one of its levels")

    def encode(self, column: pd.Series) -> Codes:
        """Level indices, shape (n,); `UNKNOWN` where a value is none of the levels.

        Spaces around a value are ignored; an empty one is missing.
        """
        # each distinct value is looked up once: columns are long and levels are few
        places, values = pd.factorize(column)
        text = pd.Series(pd.Index(values).astype("string")).str.strip().fillna("")
        if self.missing is not None:
            text = text.replace("", self.missing)
        levels = pd.Index(self.levels)
        if pd.api.types.is_float_dtype(column.dtype):
            # pandas turns a column of integers with a gap into floats, and 1 into 1.0
            text = text.where(text.isin(levels), text.str.removesuffix(".0"))
        absent = UNKNOWN if self.missing is None else self.levels.index(self.missing)
        found = np.append(levels.get_indexer(pd.Index(text)), absent)
        codes: Codes = found.astype(np.int32)[places]  # place -1, the last, is a missing value
        return codes


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
        Grid intervals between the bounds; even.
    edges
        Public bin edges, increasing, for the histogram mode (`Schema.histogram`).
    centred
        Whether sums are taken around the middle of the bounds, which halves their sensitivity.
    """

    name: str
    lower: float
    upper: float
    steps: int = 64
    edges: tuple[float, ...] | None = None
    centred: bool = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lower) and math.isfinite(self.upper) and self.lower < self.upper):
            raise ValueError(
                f"{self.name}: needs finite bounds, lower < upper, got {self.lower} and {self.upper}"
            )
        if self.steps < 2 or self.steps % 2:
            raise ValueError(f"{self.name}: needs an even number of grid steps, at least 2, got {self.steps}")

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

    def encode(self, column: pd.Series) -> Codes:
        """Grid points 0 … `steps`, shape (n,); `UNKNOWN` where the value is missing or no finite number."""
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
        grid = np.rint((np.clip(numbers, self.lower, self.upper) - self.lower) / self.step)
        return np.where(np.isfinite(numbers), grid, UNKNOWN).astype(np.int32)


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
    """

    name: str
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.edges) < 3 or any(a >= b for a, b in itertools.pairwise(self.edges)):
            raise ValueError(f"{self.name}: needs at least three increasing edges, got {self.edges}")

    @property
    def levels(self) -> tuple[str, ...]:
        """A label for each bin."""
        return tuple(f"[{a:g}, {b:g})" for a, b in itertools.pairwise(self.edges))

    def encode(self, column: pd.Series) -> Codes:
        """Bin indices, shape (n,); `UNKNOWN` where the value is missing or no finite number."""
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
        bins = np.searchsorted(np.asarray(self.edges[1:-1]), numbers, side="right")
        return np.where(np.isfinite(numbers), bins, UNKNOWN).astype(np.int32)


Feature = Categorical | Numeric | Binned
