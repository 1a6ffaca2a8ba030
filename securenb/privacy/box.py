"""Noise that is uniform in a box of random size: its law on integers, and an exact and a fast sampler of it.

A point is (w; z_1 … z_k; x_1 … x_d): the noise of a class count; of the difference between the two levels of
each binary feature, of the parity of w; and of numbers of their own. The box of radius r holds

    |w| ≤ r,  |z_i| ≤ r,  z_i ≡ w modulo 2,  |x_j| ≤ r · reach_j,    V(r) points in all,

V(r) = ((r + 1)^(k+1) + r^(k+1)) · Π_j (2 r reach_j + 1), for r + 1 numbers up to ±r have the parity of r, and
r have the other. A radius is drawn with P(r) = q^r V(r) / Z, q = exp(-epsilon), then a point of its box
uniformly. So a point x has the probability Σ_{r ≥ n(x)} q^r / Z = q^n(x) / (Z (1 - q)), with n(x) the radius
of the least box that holds it: P(x) ∝ exp(-epsilon · ⌈max(|w|, |z_i|, |x_j| / reach_j)⌉), the K-norm
mechanism (Hardt and Talwar 2010; Awan and Slavković 2020) on integers. `docs/privacy.md` has the proof.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import gmpy2
import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.privacy.exact_sampler import Bits

Floats = NDArray[np.float64]

START_BITS = 128
"""Random bits that a radius is looked up with; where they do not settle it, more are drawn."""

GUARD = 64
"""Bits of arithmetic beyond the random ones."""

TABLE_RADII = 1 << 20
"""Up to here the fast radius is a table; beyond, a rounded gamma variable differs by less than shows."""

Enclosure = tuple["gmpy2.mpfr", "gmpy2.mpfr"]
"""A number that is at most what is meant, and one that is at least that."""

DIRECTIONS = gmpy2.RoundDown, gmpy2.RoundUp


@dataclass(frozen=True)
class Box:
    """The law of one point.

    Parameters
    ----------
    epsilon
        Loss of a change that moves the count by at most 1, and everything else no further than its reach.
    pairs
        How many binary features.
    reaches
        Of the numbers.
    """

    epsilon: Fraction
    pairs: int
    reaches: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.epsilon <= 0 or self.pairs < 0 or min(self.reaches, default=1) < 1:
            raise ValueError(f"needs a positive epsilon, and reaches of at least 1, got {self}")

    @property
    def dimension(self) -> int:
        """Coordinates that are free: the count, the differences, the numbers."""
        return 1 + self.pairs + len(self.reaches)

    @property
    def width(self) -> int:
        """Cells of a draw: the count, both levels of each binary feature, the numbers."""
        return 1 + 2 * self.pairs + len(self.reaches)

    @property
    def parts(self) -> Integers:
        """Which part each cell belongs to, (width,): 0 for the count, then the features, then the numbers."""
        twice = np.repeat(np.arange(1, 1 + self.pairs), 2)
        return np.concatenate([[0], twice, 1 + self.pairs + np.arange(len(self.reaches))])

    def reach(self, part: int) -> int:
        """How far a change that costs epsilon moves a cell of a part."""
        return 1 if part <= self.pairs else self.reaches[part - 1 - self.pairs]

    def points(self, radius: int) -> int:
        """V(r): how many points the box of a radius has."""
        same, other = self.parities(radius)
        return (same + other) * math.prod(2 * radius * reach + 1 for reach in self.reaches)

    def parities(self, radius: int) -> tuple[int, int]:
        """In how many ways the count and the differences have the parity of the radius, and the other."""
        return (radius + 1) ** (self.pairs + 1), radius ** (self.pairs + 1)

    def variance(self, part: int) -> float:
        """The variance of a cell of a part."""
        if 0 < part <= self.pairs:  # half the sum of two variables like the count's, uncorrelated
            return _mean_square(self, 0) / 2
        return _mean_square(self, part)

    def tail(self, log_failure: float) -> int:
        """A radius that is exceeded with probability at most exp(-log_failure)."""
        bits = math.ceil(log_failure / math.log(2)) + 8
        return _least(lambda radius: exceeded(self, radius, bits)[1] <= 1 << 8)

    def draw_fast(self, rng: np.random.Generator, size: int) -> Integers:
        """Points, (size, width), from numpy's generator: for simulations only."""
        table = fast_table(self)
        if table is None:
            drawn = rng.gamma(self.dimension + 1, 1 / float(self.epsilon), size)
            radius = np.rint(drawn).astype(np.int64)
        else:
            radius = np.searchsorted(table, rng.random(size) * table[-1], side="right")
        odds = (radius / (radius + 1)) ** (self.pairs + 1)
        many = radius + (rng.random(size) * (1 + odds) < 1)
        # `many` numbers, two apart, the middle of them 0
        steps = rng.integers(many[:, None], size=(size, 1 + self.pairs))
        bound = radius[:, None] * np.array(self.reaches, dtype=np.int64)
        numbers = rng.integers(-bound, bound, endpoint=True)
        return self._cells(2 * steps - many[:, None] + 1, numbers)

    def draw_exact(self, bits: Bits, size: int) -> Integers:
        """Points, (size, width), by integer arithmetic on random bits: no floating point touches them."""
        differences, numbers = [], []
        for _ in range(size):
            r = radius(self, bits.word)
            same, other = self.parities(r)
            many = r + (bits.below(same + other) < same)
            differences.append([2 * bits.below(many) - many + 1 for _ in range(1 + self.pairs)])
            numbers.append([bits.below(2 * r * reach + 1) - r * reach for reach in self.reaches])
        shape = size, len(self.reaches)
        return self._cells(
            np.array(differences, dtype=np.int64), np.array(numbers, dtype=np.int64).reshape(shape)
        )

    def _cells(self, differences: Integers, numbers: Integers) -> Integers:
        """Cells of points: levels of noise w and z become (w - z) / 2 and (w + z) / 2."""
        count, between = differences[:, :1], differences[:, 1:]
        levels = np.stack([(count - between) // 2, (count + between) // 2], axis=-1)
        return np.concatenate([count, levels.reshape(len(count), 2 * self.pairs), numbers], axis=1)


def radius(box: Box, word: Callable[[int], int]) -> int:
    """A radius, exactly: inversion at a uniform number of which only as many bits are drawn as are needed.

    With T uniform on (0, 1) it is the least r with P(radius > r) ≤ T. T is known to lie between two
    multiples of 2^-bits, and P(radius > r) between two bounds; where they overlap, both are made finer.

    Parameters
    ----------
    word
        Uniform integers of so many bytes.
    """
    bits = START_BITS
    drawn = word(bits // 8)

    def within(r: int) -> bool:
        nonlocal bits, drawn
        while True:
            below, above = exceeded(box, r, bits)
            if above <= drawn:
                return True
            if below > drawn:
                return False
            drawn = drawn << START_BITS | word(START_BITS // 8)
            bits += START_BITS

    return _least(within)


@lru_cache(maxsize=64)
def fast_table(box: Box) -> Floats | None:
    """Cumulative probabilities of the radii 0, 1, …, in floating point; `None` if there are too many."""
    top = int((box.dimension + 12 * math.sqrt(box.dimension) + 60) / float(box.epsilon)) + 2
    if top > TABLE_RADII:
        return None
    r = np.arange(top, dtype=np.float64)
    with np.errstate(divide="ignore"):
        weights = np.logaddexp(*((box.pairs + 1) * np.log(r + more) for more in (1, 0)))
    weights -= float(box.epsilon) * r
    for reach, times in zip(*np.unique(np.array(box.reaches), return_counts=True), strict=True):
        weights += times * np.log(2 * r * reach + 1)
    table: Floats = np.cumsum(np.exp(weights - weights.max()))
    return table


@lru_cache(maxsize=1 << 15)
def exceeded(box: Box, r: int, bits: int) -> tuple[int, int]:
    """Whole multiples of 2^-bits between which P(radius > r) lies.

    Σ_{i > r} q^i V(i) = q^(r+1) Σ_j q^j V(r+1+j), and the sum of a polynomial Σ_j q^j V(s+j) is
    Σ_k Δ^k V(s) q^k / (1-q)^(k+1): finitely many terms, none negative, each rounded outwards.
    """
    precision = bits + GUARD
    some = _weighted(box, box.points, box.dimension, r + 1, precision)
    total = _total(box, precision)
    ends = []
    for at, mode in enumerate(DIRECTIONS):
        with gmpy2.context(precision=precision, round=mode):
            share = _factor(box.epsilon, precision)[at] ** (r + 1) * some[at] / total[1 - at]
            scaled = gmpy2.mul_2exp(share, bits)
            ends.append(int(gmpy2.ceil(scaled) if at else gmpy2.floor(scaled)))
    return ends[0], ends[1]


@lru_cache(maxsize=1 << 12)
def _mean_square(box: Box, part: int) -> float:
    """The mean square of the count's noise, or of a number's."""

    def squares(r: int) -> int:
        """Three times the sum of squares over the points of the box of radius r."""
        if part:
            bound = r * box.reach(part)
            return box.points(r) * bound * (bound + 1)
        same, other = box.parities(r)
        return box.points(r) // (same + other) * (same * r * (r + 2) + other * (r * r - 1))

    precision, degree = START_BITS + GUARD, box.dimension + 2
    (_, some), (total, _) = _weighted(box, squares, degree, 0, precision), _total(box, precision)
    with gmpy2.context(precision=precision):
        rest = 1 - _factor(box.epsilon, precision)[1]
        return float(some / (3 * total * rest**2))


def _weighted(
    box: Box, polynomial: Callable[[int], int], degree: int, start: int, precision: int
) -> Enclosure:
    """(1-q)^(degree+1) Σ_j q^j P(start + j), for a polynomial whose differences at 0 are not negative."""
    row = [gmpy2.mpz(polynomial(start + at)) for at in range(degree + 1)]
    leading = []
    while row:
        leading.append(row[0])
        row = [after - before for before, after in itertools.pairwise(row)]
    q = _factor(box.epsilon, precision)
    ends = []
    for at, mode in enumerate(DIRECTIONS):
        with gmpy2.context(precision=precision, round=mode):
            rest, powers = 1 - q[1 - at], [gmpy2.mpfr(1)]
            for _ in range(degree):
                powers.append(powers[-1] * rest)
            total, power = gmpy2.mpfr(0), gmpy2.mpfr(1)
            for difference, other in zip(leading, reversed(powers), strict=True):
                total += difference * power * other
                power *= q[at]
            ends.append(total)
    return ends[0], ends[1]


@lru_cache(maxsize=256)
def _total(box: Box, precision: int) -> Enclosure:
    """Z (1-q)^(D+1)."""
    return _weighted(box, box.points, box.dimension, 0, precision)


@lru_cache(maxsize=256)
def _factor(epsilon: Fraction, precision: int) -> Enclosure:
    """Q = exp(-epsilon)."""
    exponents = []
    for mode in DIRECTIONS:
        with gmpy2.context(precision=precision, round=mode):
            exponents.append(gmpy2.mpfr(-epsilon.numerator) / epsilon.denominator)
    with gmpy2.context(precision=precision, round=gmpy2.RoundDown):
        low = gmpy2.exp(exponents[0])
    with gmpy2.context(precision=precision, round=gmpy2.RoundUp):
        high = gmpy2.exp(exponents[1])
    return low, high


def _least(within: Callable[[int], bool]) -> int:
    """The least number from 0 on for which it holds, of something that goes on to hold."""
    if within(0):
        return 0
    low, high = 0, 1
    while not within(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if within(middle) else (middle, high)
    return high
