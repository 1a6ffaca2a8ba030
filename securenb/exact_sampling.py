"""Exact samplers for integer distributions: rational coins and integer arithmetic only.

The discrete Laplace follows Canonne, Kamath and Steinke (2020), *The Discrete Gaussian for Differential
Privacy*, Algorithms 1 and 2. The negative binomial is drawn as a Poisson number of logarithmic variables
(Quenouille 1949), so its cost does not grow with the scale; it is exact up to a total variation distance
of 2^-100 a sample, from cutting two tails.
"""

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import gmpy2

from protocols.entropy import Entropy

TABLE_BITS = 128
"""Resolution of the Poisson table: probabilities are rounded to multiples of 2^-128."""


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


def negative_binomial(bits: Bits, scale: Fraction, among: int) -> int:
    """One sample of NB(r, α) with r = 1/among, α = exp(-1/scale): P(k) = C(k+r-1, k) (1-α)^r α^k."""
    total = 0
    for _ in range(bisect_right(_poisson_table(scale, among), bits.word(TABLE_BITS // 8))):
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
def _poisson_table(scale: Fraction, among: int) -> tuple[int, ...]:
    """Cumulative probabilities, as multiples of 2^-128, of Poisson(-ln(1-α) / among)."""
    with gmpy2.context(precision=256):
        alpha = gmpy2.exp(-gmpy2.mpfr(scale.denominator) / scale.numerator)
        rate = -gmpy2.log(1 - alpha) / among
        terms = []
        term, k = gmpy2.exp(-rate), 0
        while (weight := int(gmpy2.rint(term * (1 << TABLE_BITS)))) > 0 or k < rate:
            terms.append(weight)
            k += 1
            term *= rate / k
    return tuple(accumulate(terms))
