"""The exact law of the noise in cells that no record touches: in one of them, and in a sum over all.

A test adds a score of |x| over the cells. Scores are integers that never rise with |x|, so more noise never
raises the sum: independent symmetric noise on top of a symmetric, unimodal law makes |x| stochastically
larger (Anderson 1955 in one dimension). A test that is exact for some amount of noise is therefore valid for
every larger amount.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy import fft

from protocols.ring import Integers
from securenb.privacy.distributions import Distribution, Floats, Polya, Skellam

WIDEST = 1 << 18
"""The widest dose, from zero to where less than e^-40 is beyond, that is tabulated."""

WIDEST_ROW = 1 << 20
"""The widest noise of a row; bounds look at four times as much."""

FAR = 1 << 40
"""Cells are cut here: no noise comes so far, and sums of what a malicious party sends must not wrap."""

TAIL = 40.0
"""Probabilities below e^-40 are left out."""

FEWER = Fraction(3, 4)
"""What likelihood ratios compare with what is claimed: a quarter of the doses missing. Any fraction from
three quarters to nineteen twentieths has the same power, to a percent."""

LEVELS = 512
"""Steps of the likelihood ratio of one cell; so many lose nothing that shows."""

FINE = 64
"""Steps of |x| in one standard deviation, where there are more."""

Law = Polya | Skellam
"""Laws of a dose whose shares are again of that kind, whatever their number."""


def check_kind(law: Distribution | None) -> Law:
    """The law, if it is one whose shares have an exact law again; a `ValueError` that says what to choose."""
    if law is None:
        raise ValueError("witnesses show noise, and there is none: leave out witnesses, or give an epsilon")
    if not isinstance(law, Polya | Skellam):
        raise ValueError(  # noqa: TRY004 - a caller's choice
            f"witnesses know the laws of discrete_laplace and of skellam, not {type(law).__name__} noise: "
            "choose one of them, or leave out witnesses"
        )
    return law


def check_tabulated(law: Distribution | None, widest: int = WIDEST_ROW) -> Law:
    """The law, if it can be tabulated; a `ValueError` that says what to choose."""
    known = check_kind(law)
    if known.tail(TAIL) > widest:
        raise ValueError(
            f"noise of a standard deviation of {math.sqrt(known.spread()):,.0f} is too wide for witnesses, "
            "who tabulate it: choose a larger epsilon, or leave out witnesses"
        )
    return known


def witnessed_law(law: Distribution | None) -> Law:
    """The law of a dose, if cells can bear witness to it.

    Raises
    ------
    ValueError
        If there is no noise, none whose shares have an exact law, or noise too wide to be tabulated; with
        what to choose instead.
    """
    return check_tabulated(law, WIDEST)


def carried(dose: Law, doses: Fraction, scale: Fraction = Fraction(1)) -> Law:
    """The noise of a row with so many doses, all of it `scale` times as wide."""
    match dose:
        case Polya():
            return Polya(dose.scale * scale, dose.doses * doses)
        case Skellam():
            return Skellam(dose.variance * doses * scale**2)


@lru_cache(maxsize=64)
def magnitudes(law: Law) -> Floats:
    """P(|X| = k) for k = 0, 1, …; what lies beyond the end is in the last one.

    From the characteristic function, which both laws have in closed form: that of r doses is the r-th power.
    """
    top = law.tail(TAIL) + 1
    size = fft.next_fast_len(2 * top + 1, real=True)
    squared = np.sin(np.pi * np.arange(size // 2 + 1) / size) ** 2  # (1 - cos) / 2 of each angle
    match law:
        case Polya():
            alpha, rest = math.exp(-1 / float(law.scale)), -math.expm1(-1 / float(law.scale))
            logs = -float(law.doses) * np.log1p(4 * alpha / rest**2 * squared)
        case Skellam():
            logs = -2 * float(law.variance) * squared
    masses: Floats = np.maximum(fft.irfft(np.exp(logs), size)[: top + 1], 0.0)
    masses[1:] *= 2
    masses /= masses.sum()
    masses.setflags(write=False)
    return masses


@dataclass(frozen=True, eq=False)
class Sums:
    """The law of a sum of independent scores.

    Attributes
    ----------
    first
        The least sum that is tabulated; the others follow one by one.
    masses
        Their probabilities; what is left out is below 10^-12.
    """

    first: int
    masses: Floats

    def at_least(self, value: int) -> float:
        """P(sum ≥ value)."""
        return float(min(1.0, self.masses[max(0, value - self.first) :].sum()))

    def at_most(self, value: int) -> float:
        """P(sum ≤ value)."""
        return float(min(1.0, self.masses[: max(0, value - self.first + 1)].sum()))

    def critical(self, level: float) -> int:
        """The least value that is reached with probability at most `level`."""
        upper = np.cumsum(self.masses[::-1])[::-1]
        return self.first + int(np.count_nonzero(upper > level))


def summed(scores: Integers, masses: Floats, cells: int) -> Sums:
    """The law of the sum of one score a cell.

    Parameters
    ----------
    scores, masses
        The score of each |x|, and its probability, shape (n,).
    """
    low, span = int(scores.min()), int(np.ptp(scores))
    mean = float(scores @ masses)
    deviation = math.sqrt(float((scores - mean) ** 2 @ masses))
    # beyond that a sum of so many lies with probability below 10^-12: Bernstein's inequality
    half = math.ceil(9 * math.sqrt(cells) * deviation + 28 * span + 1)
    size = fft.next_fast_len(min(cells * span, 2 * half) + 1, real=True)
    folded = np.zeros(size)
    np.add.at(folded, (scores - low) % size, masses)
    cyclic = np.maximum(fft.irfft(fft.rfft(folded) ** cells, size), 0.0)
    first = 0 if cells * span < size else max(0, math.floor(cells * (mean - low)) - half)
    return Sums(first + cells * low, np.roll(cyclic, -(first % size)))


@lru_cache(maxsize=64)
def ratio(dose: Law, doses: Fraction) -> Integers:
    """The score of each |x|: how much more it speaks for `FEWER` of the doses than for all, in steps."""
    full, fewer = magnitudes(carried(dose, doses)), magnitudes(carried(dose, FEWER * doses))
    length = min(len(full), len(fewer))
    logs = np.log(fewer[:length] + 1e-13) - np.log(full[:length] + 1e-13)
    falling = np.minimum.accumulate(logs)
    scores: Integers = np.rint((falling - falling[0]) * (LEVELS / max(np.ptp(falling), 1e-9))).astype(
        np.int64
    )
    return scores


def scored(scores: Integers, values: Integers) -> int:
    """The sum of scores of some cells."""
    return int(scores[np.minimum(absolute(values), len(scores) - 1)].sum())


def absolute(values: Integers) -> Integers:
    """|x| of each cell, up to `FAR`: the least 64-bit integer has no absolute value of its own."""
    found: Integers = np.abs(np.clip(values, -FAR, FAR))
    return found


@lru_cache(maxsize=256)
def ratio_law(dose: Law, doses: Fraction, true: Law, cells: int) -> Sums:
    """The law of `ratio`'s sum where the cells' noise has the law `true`."""
    return summed(*_fitted(ratio(dose, doses), magnitudes(true)), cells)


def steps(dose: Law) -> int:
    """How wide a step of |x| is, for sums of |x|."""
    return max(1, int(math.sqrt(dose.spread()) / FINE))


@lru_cache(maxsize=256)
def width_law(dose: Law, true: Law, cells: int) -> Sums:
    """The law of the sum of |x| in `steps` of a dose, where the cells' noise has the law `true`."""
    masses = magnitudes(true)
    return summed(np.arange(len(masses)) // steps(dose), masses, cells)


def width(dose: Law, values: Integers) -> int:
    """The sum of |x| in steps."""
    return int((absolute(values) // steps(dose)).sum())


def _fitted(scores: Integers, masses: Floats) -> tuple[Integers, Floats]:
    """Scores of all |x| that have a probability: beyond the end the last score holds."""
    if len(masses) > len(scores):
        scores = np.concatenate([scores, np.full(len(masses) - len(scores), scores[-1])])
    return scores[: len(masses)], masses
