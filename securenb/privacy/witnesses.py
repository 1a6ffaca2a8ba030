"""What cells that no record touches show of the noise in a round: findings, and bounds on epsilon.

They cannot show a node that adds noise only there, or that covers there for others, nor an aggregator that
invents them: `docs/witnesses.md`.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal, Self

import numpy as np
from scipy import special

from protocols.ring import Integers
from securenb.privacy.distributions import Floats
from securenb.privacy.event import Event
from securenb.privacy.witness_bounds import Bounds, bounds_of, first_law
from securenb.privacy.witness_law import (
    Law,
    absolute,
    carried,
    magnitudes,
    ratio,
    ratio_law,
    scored,
    width,
    witnessed_law,
)

ALARM = 1e-3
"""The probability that an honest round has any finding; its rows share it."""

FEWEST, MOST = 50, 100_000
"""Cells that may be asked for: fewer show next to nothing, more are a burden on every party."""


def check_count(cells: int) -> int:
    """The number of cells; a `ValueError` if no test can use so few, or no party should bear so many."""
    if not FEWEST <= cells <= MOST:
        raise ValueError(
            f"witnesses are {FEWEST} to {MOST:,} cells, got {cells:,}: fewer show next to nothing, and every "
            "party sends all of them"
        )
    return cells


Found = Literal["as claimed", "shares missing", "claim broken"]


@dataclass(frozen=True, eq=False)
class Reading:
    """The witness cells of one opened row, as one party reads them.

    Attributes
    ----------
    what
        Which row, and whose draws were subtracted, for people.
    honest
        How many shares make a dose.
    shares
        How many shares the row should carry.
    cells
        What was opened there, shape (K,), int64.
    known
        How many of the shares colluding nodes may tell: a dose is to be there beside them.
    """

    what: str
    honest: int
    shares: int
    cells: Integers
    known: int = 0

    @property
    def doses(self) -> Fraction:
        """What the row should carry."""
        return Fraction(self.shares, self.honest)

    @property
    def needed(self) -> Fraction:
        """The doses that the claim counts on."""
        return Fraction(self.honest + self.known, self.honest)


@dataclass(frozen=True)
class Finding:
    """What the cells of one row say.

    Attributes
    ----------
    missing, broken
        How probable so little noise, or less, is if all shares are there; and if just those that the claim
        counts on are: one dose, beside the shares that colluding nodes may tell.
    shape
        How probable values so unlike the law's are, about: no part of the verdict, because a single node
        can force it.
    found
        `claim broken`: less than the claim counts on. `shares missing`: less than all, and perhaps enough.
    """

    what: str
    missing: float
    broken: float
    shape: float
    found: Found


@dataclass(frozen=True, eq=False)
class Witnesses:
    """The witness cells of a round.

    Attributes
    ----------
    event
        What the ledger keeps of one of its rows, at one dose.
    delta
        What epsilon is read at.
    readings
        At least one, all of equally many cells.
    """

    event: Event
    delta: float
    readings: tuple[Reading, ...]

    @cached_property
    def dose(self) -> Law:
        """The law of one dose on a cell: that of the first query, which is the class count's."""
        return witnessed_law(first_law(self.event.add_remove))

    @property
    def cells(self) -> int:
        """How many cells there are in a row."""
        return len(self.readings[0].cells)

    @property
    def level(self) -> float:
        """The probability of a finding in one honest row."""
        return ALARM / len(self.readings)

    def and_then(self, later: Self) -> "Witnesses":
        """Those of two rounds of the same noise together."""
        return Witnesses(self.event, self.delta, self.readings + later.readings)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """One for each row.

        A row that carries less than the claim counts on also carries less than all its shares. So
        `claim broken` is said only where both tests reject, each at the whole level of the row (closed
        testing, Marcus, Peritz and Gabriel 1976): no honest row has a finding more often than that.
        """
        found = []
        for reading in self.readings:
            missing = self._improbable(reading, reading.doses)
            broken = self._improbable(reading, reading.needed)
            verdict: Found = "as claimed"
            if missing <= self.level:
                verdict = "claim broken" if broken <= self.level else "shares missing"
            found.append(Finding(reading.what, missing, broken, self._shape(reading), verdict))
        return tuple(found)

    @property
    def found(self) -> Found:
        """The worst finding."""
        order: tuple[Found, ...] = ("claim broken", "shares missing", "as claimed")
        verdicts = {finding.found for finding in self.findings}
        return next(verdict for verdict in order if verdict in verdicts)

    @cached_property
    def bounds(self) -> Bounds:
        """Of the row with the least noise for its shares; see `Bounds`."""
        narrowest: dict[tuple[Fraction, Fraction], Integers] = {}
        for reading in self.readings:
            carried_and_needed = reading.doses, reading.needed
            least = narrowest.setdefault(carried_and_needed, reading.cells)
            if width(self.dose, reading.cells) < width(self.dose, least):
                narrowest[carried_and_needed] = reading.cells
        return bounds_of(self.event, self.delta, self.dose, narrowest, len(self.readings))

    def powers(self) -> dict[str, float]:
        """How often a fault in the first row is found, from the exact laws, by what it is."""
        first = self.readings[0]
        full, needed = first.doses, first.needed
        half = carried(self.dose, needed, Fraction(1, 2))
        quarter = carried(self.dose, needed - Fraction(1, 4))
        powers = {
            "half as wide": self._power(needed, half),
            "a quarter of a dose missing": self._power(needed, quarter),
        }
        if first.shares > 1:
            rest = carried(self.dose, full * (first.shares - 1) / first.shares)
            powers["one share missing"] = self._power(full, rest)
        return powers

    def _power(self, doses: Fraction, true: Law) -> float:
        critical = ratio_law(self.dose, doses, carried(self.dose, doses), self.cells).critical(self.level)
        return ratio_law(self.dose, doses, true, self.cells).at_least(critical)

    def _improbable(self, reading: Reading, doses: Fraction) -> float:
        law = ratio_law(self.dose, doses, carried(self.dose, doses), self.cells)
        return law.at_least(scored(ratio(self.dose, doses), reading.cells))

    def _shape(self, reading: Reading) -> float:
        """Signed cells in bins of about equal probability, by a chi-squared test."""
        inner, expected = _bins(carried(self.dose, reading.doses), self.cells)
        if len(expected) < 2:
            return 1.0
        seen = np.bincount(np.searchsorted(inner, absolute(reading.cells)), minlength=len(expected))
        chi = float(((seen - expected) ** 2 / expected).sum())
        spread = special.gammaincc((len(expected) - 1) / 2, chi / 2)
        above, signed = int((reading.cells > 0).sum()), int(np.count_nonzero(reading.cells))
        sides = 2 * special.bdtr(min(above, signed - above), signed, 0.5)
        return float(min(1.0, 2 * min(spread, sides)))


@lru_cache(maxsize=64)
def _bins(law: Law, cells: int) -> tuple[Integers, Floats]:
    """The last |x| of every bin but one, and how many cells of each are expected; one bin if they are few."""
    masses = magnitudes(law)
    count = int(np.clip(cells // 20, 2, 8))
    inner: Integers = np.unique(np.searchsorted(np.cumsum(masses), np.arange(1, count) / count))
    expected: Floats = cells * np.add.reduceat(masses, np.concatenate([[0], inner + 1]))
    return (inner, expected) if expected.min() >= 5 else (inner[:0], expected[:0])
