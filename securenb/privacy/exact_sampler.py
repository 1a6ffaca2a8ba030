"""Exact samplers for integer distributions: rational coins and integer arithmetic only.

The discrete Laplace follows Canonne, Kamath and Steinke (2020), *The Discrete Gaussian for Differential
Privacy*, Algorithms 1 and 2, the discrete Gaussian its Algorithm 3. The negative binomial is drawn as a
Poisson number of logarithmic variables (Quenouille 1949), so its cost does not grow with the scale. It and
the Poisson are exact up to a total variation distance of 2^-100 a sample, from cutting tails and from
probabilities in 256-bit arithmetic that meet a uniform integer of 128 bits.
"""

import math
from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import gmpy2

from protocols.entropy import Entropy

TABLE_BITS = 128
"""Resolution of probabilities that are no rational coins: they are rounded to multiples of 2^-128."""

TABLE_MEAN = 256
"""Poisson variables up to this mean come from a table, larger ones from rejection."""

PRECISION = 256
"""Bits of the arithmetic behind them."""


class Bits:
    """Exact coins from entropy bytes, fetched in blocks."""

    def __init__(self, entropy: Entropy, block: int = 4096) -> None:
        self._entropy = entropy
        self._block = block
        self._pool = b""
        self._at = 0

    def word(self, size: int) -> int:
        """A uniform integer of `size` bytes."""
        if self._at + size > len(self._pool):
            self._pool, self._at = self._entropy(max(self._block, size)), 0
        value = int.from_bytes(self._pool[self._at : self._at + size], "big")
        self._at += size
        return value

    def below(self, n: int) -> int:
        """A uniform integer in 0 … n-1, by rejection."""
        size = (n.bit_length() + 7) // 8 + 1
        limit = (1 << 8 * size) // n * n
        while True:
            value = self.word(size)
            if value < limit:
                return value % n

    def coin(self, numerator: int, denominator: int) -> bool:
        """True with probability numerator / denominator."""
        return self.below(denominator) < numerator

    def exponential_coin(self, numerator: int, denominator: int) -> bool:
        """True with probability exp(-numerator / denominator); Algorithm 1."""
        while numerator > denominator:
            if not self._small_exponential_coin(1, 1):
                return False
            numerator -= denominator
        return self._small_exponential_coin(numerator, denominator)

    def _small_exponential_coin(self, numerator: int, denominator: int) -> bool:
        k = 1
        while self.coin(numerator, denominator * k):
            k += 1
        return k % 2 == 1


def discrete_laplace(bits: Bits, scale: Fraction) -> int:
    """One sample of P(k) ∝ exp(-|k| / scale); Algorithm 2."""
    t, s = scale.numerator, scale.denominator
    while True:
        low = bits.below(t)
        if not bits.exponential_coin(low, t):
            continue
        high = 0
        while bits.exponential_coin(1, 1):
            high += 1
        magnitude = (low + t * high) // s
        negative = bits.coin(1, 2)
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def discrete_gaussian(bits: Bits, variance: Fraction) -> int:
    """One sample of P(k) ∝ exp(-k² / 2 variance); Algorithm 3."""
    t = math.isqrt(variance.__floor__()) + 1
    while True:
        candidate = discrete_laplace(bits, Fraction(t))
        miss = (abs(candidate) - variance / t) ** 2 / (2 * variance)
        if bits.exponential_coin(miss.numerator, miss.denominator):
            return candidate


def poisson(bits: Bits, mean: Fraction) -> int:
    """One sample of the Poisson distribution, at a cost that does not grow with the mean.

    Large ones are accepted from discrete Laplace variables around the mode, as wide as the standard
    deviation; log-concavity says where the ratio of the two is largest (Devroye 1986, chapter II.3).
    """
    if mean <= TABLE_MEAN:
        return bisect_right(_poisson_table(mean), bits.word(TABLE_BITS // 8))
    mode, width, log_mean, log_unit = _poisson_proposal(mean)
    while True:
        away = discrete_laplace(bits, Fraction(width))
        if mode + away < 0:
            continue
        with gmpy2.context(precision=PRECISION):
            log_accepted = _log_excess(mode, width, log_mean, away) - log_unit
            threshold = int(gmpy2.rint(gmpy2.exp(log_accepted) * (1 << TABLE_BITS)))
        if bits.word(TABLE_BITS // 8) < threshold:
            return mode + away


def negative_binomial(bits: Bits, scale: Fraction, doses: Fraction) -> int:
    """One sample of NB(r, α) with r = doses, α = exp(-1/scale): P(k) = Γ(k+r)/(Γ(r) k!) (1-α)^r α^k."""
    total = 0
    for _ in range(bisect_right(_logarithms(scale, doses), bits.word(TABLE_BITS // 8))):
        total += logarithmic(bits, scale)
    return total


def logarithmic(bits: Bits, scale: Fraction) -> int:
    """One sample of P(k) ∝ α^k / k, k ≥ 1, α = exp(-1/scale).

    Proposes an octave [2^j, 2^(j+1)) and a k in it, both uniformly, and accepts with probability
    (2^j / k) α^k: a rational coin and an exponential coin. Octaves beyond 2^-100 of the mass are left out.
    """
    octaves = (scale * 128).__ceil__().bit_length()
    while True:
        start = 1 << bits.below(octaves)
        k = start + bits.below(start)
        if bits.coin(start, k) and bits.exponential_coin(k * scale.denominator, scale.numerator):
            return k


@lru_cache(maxsize=256)
def _logarithms(scale: Fraction, doses: Fraction) -> tuple[int, ...]:
    """The Poisson table of how many logarithmic variables make a negative binomial."""
    with gmpy2.context(precision=PRECISION):
        alpha = gmpy2.exp(-gmpy2.mpfr(scale.denominator) / scale.numerator)
        return _cumulative(-gmpy2.log(1 - alpha) * doses.numerator / doses.denominator)


@lru_cache(maxsize=256)
def _poisson_table(mean: Fraction) -> tuple[int, ...]:
    with gmpy2.context(precision=PRECISION):
        return _cumulative(gmpy2.mpfr(mean.numerator) / mean.denominator)


def _cumulative(mean: "gmpy2.mpfr") -> tuple[int, ...]:
    """Cumulative Poisson probabilities, as multiples of 2^-128."""
    terms = []
    term, k = gmpy2.exp(-mean), 0
    while (weight := int(gmpy2.rint(term * (1 << TABLE_BITS)))) > 0 or k < mean:
        terms.append(weight)
        k += 1
        term *= mean / k
    return tuple(accumulate(terms))


def _log_excess(mode: int, width: int, log_mean: "gmpy2.mpfr", away: int) -> "gmpy2.mpfr":
    """Log of the ratio of P(mode + away) to the proposal's probability, up to a constant."""
    return away * log_mean - gmpy2.lngamma(mode + away + 1) + gmpy2.mpfr(abs(away)) / width


@lru_cache(maxsize=256)
def _poisson_proposal(mean: Fraction) -> tuple[int, int, "gmpy2.mpfr", "gmpy2.mpfr"]:
    """Mode, width of the proposals, log of the mean, and the largest `_log_excess`."""
    mode = mean.__floor__()
    width = math.isqrt(mode)
    with gmpy2.context(precision=PRECISION):
        exact_mean = gmpy2.mpfr(mean.numerator) / mean.denominator
        log_mean = gmpy2.log(exact_mean)
        growth = gmpy2.exp(gmpy2.mpfr(1) / width)
        # P(k+1)/P(k) = mean/(k+1) passes exp(∓1/width) at these two places
        right = int(gmpy2.floor(exact_mean * growth)) - mode
        left = int(gmpy2.floor(exact_mean / growth)) - mode
        nearby = (left - 1, left, left + 1, 0, right - 1, right, right + 1)
        return mode, width, log_mean, max(_log_excess(mode, width, log_mean, away) for away in nearby)
