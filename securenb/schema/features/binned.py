"""A number as a histogram over public edges."""

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from protocols.canonical import Canonical
from securenb.schema.cells import Codes, Column, blank, numbers
from securenb.schema.checks import check_edges, check_number, check_text
from securenb.schema.levelled import Levelled
from securenb.schema.records import UNKNOWN

LEVEL = "level"
"""What a schema says of a missing number that is to be counted by itself; histograms can."""

MissingNumber = float | Literal["level"] | None
"""The number that a missing one becomes, or `LEVEL`; without either it is refused."""


@dataclass(frozen=True)
class Binned(Levelled):
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
        object.__setattr__(self, "edges", check_edges(self.name, self.edges))
        object.__setattr__(self, "missing", check_missing(self.name, self.missing))

    @property
    def levels(self) -> tuple[str, ...]:  # type: ignore[override] # nothing sets it
        """A label for each bin, and one for missing numbers if they are counted."""
        bins = tuple(f"[{a:g}, {b:g})" for a, b in itertools.pairwise(self.edges))
        return (*bins, "missing") if self.missing == LEVEL else bins

    @property
    def size(self) -> int:
        """See `Feature.size`."""
        return len(self.edges) - 1 + (self.missing == LEVEL)

    @property
    def bounds(self) -> tuple[float, float]:
        """See `Feature.bounds`."""
        return self.edges[0], self.edges[-1]

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

    def decode(self, codes: Codes) -> list[object]:
        """See `Feature.decode`: the middle of the bin, or nothing where that is counted."""
        middles: list[object] = [(a + b) / 2 for a, b in itertools.pairwise(self.edges)]
        return [(*middles, "")[code] for code in codes.tolist()]

    def canonical(self) -> list[Canonical]:
        """See `Feature.canonical`."""
        return ["binned", self.name, [float(edge).hex() for edge in self.edges], *place(self.missing)]


def check_missing(name: str, missing: MissingNumber) -> MissingNumber:
    """What a missing number becomes, in Python's own numbers; `ValueError` for anything else."""
    if missing is None or missing == LEVEL:
        return missing
    return check_number(f"{name}: a missing number becomes a finite number or {LEVEL!r}", missing)


def place(missing: MissingNumber) -> list[Canonical]:
    """Where a missing number goes, as the digest has it: nothing if nowhere."""
    if missing is None:
        return []
    return [missing if isinstance(missing, str) else float(missing).hex()]
