"""Samplers of integer noise: a fast one for simulations, an exact one for releases.

Both draw from the same distributions (a test compares them); only the exact one may protect real data,
because a floating-point sampler's rounding is visible in what it returns (Mironov 2012).
"""

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np

from protocols.entropy import Entropy
from protocols.ring import Integers
from securenb.exact_sampling import Bits, discrete_laplace, negative_binomial


class Noise(ABC):
    """Where a mechanism's integers come from."""

    @abstractmethod
    def laplace_share(self, scale: Fraction, among: int, size: int) -> Integers:
        """Shares of discrete Laplace noise, shape (size,).

        `among` independent shares add up to P(k) ∝ exp(-|k| / scale). A share is the difference of two
        Pólya (negative binomial) variables with r = 1/among (Goryczka and Xiong 2015; Balle et al. 2020).
        """


class FastNoise(Noise):
    """numpy's samplers: for simulations only."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def laplace_share(self, scale: Fraction, among: int, size: int) -> Integers:
        """See `Noise.laplace_share`."""
        success = -np.expm1(-1 / float(scale))
        draws = self._rng.negative_binomial(1 / among, success, size=(2, size))
        difference: Integers = draws[0] - draws[1]
        return difference


class ExactNoise(Noise):
    """Integer arithmetic on entropy bytes; no floating point touches a sample."""

    def __init__(self, entropy: Entropy) -> None:
        self._bits = Bits(entropy)

    def laplace_share(self, scale: Fraction, among: int, size: int) -> Integers:
        """See `Noise.laplace_share`."""
        bits = self._bits
        if among == 1:
            draws = [discrete_laplace(bits, scale) for _ in range(size)]
        else:
            draws = [
                negative_binomial(bits, scale, among) - negative_binomial(bits, scale, among)
                for _ in range(size)
            ]
        return np.array(draws, dtype=np.int64)
