"""Samplers of integer noise: a fast one for simulations, an exact one for releases.

Both draw from the same distributions (a test compares them); only the exact one may protect real data,
because a floating-point sampler's rounding is visible in what it returns (Mironov 2012).
"""

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from protocols.entropy import Entropy
from protocols.ring import Integers
from securenb.privacy.box import Box
from securenb.privacy.exact_sampler import (
    Bits,
    discrete_gaussian,
    discrete_laplace,
    negative_binomial,
    poisson,
)

TABLE_VARIANCE = 10_000
"""Up to here the fast discrete Gaussian is a table; beyond, rounding a normal variable differs by less than
the generator's own resolution shows."""


class Noise(ABC):
    """Where a mechanism's integers come from."""

    @abstractmethod
    def polya(self, scale: Fraction, doses: Fraction, size: int) -> Integers:
        """Draws of the difference of two Pólya (negative binomial) variables with r = `doses`, shape (size,).

        Draws whose `doses` add up to one add up to P(k) ∝ exp(-|k| / scale) (Goryczka and Xiong 2015;
        Balle et al. 2020).
        """

    @abstractmethod
    def skellam(self, variance: Fraction, size: int) -> Integers:
        """Draws of the difference of two Poisson variables of mean variance / 2, shape (size,)."""

    @abstractmethod
    def gaussian(self, variance: Fraction, size: int) -> Integers:
        """Draws of P(k) ∝ exp(-k² / 2 variance), shape (size,)."""

    @abstractmethod
    def box(self, box: Box, size: int) -> Integers:
        """Independent points of a law over several cells, shape (size, box.width)."""


class FastNoise(Noise):
    """numpy's samplers: for simulations only."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def polya(self, scale: Fraction, doses: Fraction, size: int) -> Integers:
        """See `Noise.polya`."""
        success = -np.expm1(-1 / float(scale))
        draws = self._rng.negative_binomial(float(doses), success, size=(2, size))
        difference: Integers = draws[0] - draws[1]
        return difference

    def skellam(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.skellam`."""
        draws = self._rng.poisson(float(variance) / 2, size=(2, size))
        difference: Integers = draws[0] - draws[1]
        return difference

    def gaussian(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.gaussian`."""
        if variance > TABLE_VARIANCE:
            return np.rint(self._rng.normal(0.0, float(variance) ** 0.5, size)).astype(np.int64)
        reach = int(9 * float(variance) ** 0.5) + 9
        k = np.arange(-reach, reach + 1)
        weights: NDArray[np.float64] = np.cumsum(np.exp(-(k**2) / (2 * float(variance))))
        drawn: Integers = k[np.searchsorted(weights, self._rng.random(size) * weights[-1], side="right")]
        return drawn

    def box(self, box: Box, size: int) -> Integers:
        """See `Noise.box`."""
        return box.draw_fast(self._rng, size)


class ExactNoise(Noise):
    """Integer arithmetic on entropy bytes; no floating point touches a sample."""

    def __init__(self, entropy: Entropy) -> None:
        self._bits = Bits(entropy)

    def polya(self, scale: Fraction, doses: Fraction, size: int) -> Integers:
        """See `Noise.polya`."""
        bits = self._bits
        if doses == 1:
            draws = [discrete_laplace(bits, scale) for _ in range(size)]
        else:
            draws = [
                negative_binomial(bits, scale, doses) - negative_binomial(bits, scale, doses)
                for _ in range(size)
            ]
        return np.array(draws, dtype=np.int64)

    def skellam(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.skellam`."""
        bits, mean = self._bits, variance / 2
        return np.array([poisson(bits, mean) - poisson(bits, mean) for _ in range(size)], dtype=np.int64)

    def gaussian(self, variance: Fraction, size: int) -> Integers:
        """See `Noise.gaussian`."""
        return np.array([discrete_gaussian(self._bits, variance) for _ in range(size)], dtype=np.int64)

    def box(self, box: Box, size: int) -> Integers:
        """See `Noise.box`."""
        return box.draw_exact(self._bits, size)
