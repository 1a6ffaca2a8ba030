"""Exact sums of floating-point numbers and of their squares: integers that add, whatever the batches."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_MANTISSA = 53
_HALF = 27

SCALE = 2 * (1074 + _MANTISSA)
"""Sums are integers in units of 2^-SCALE: the square of every double is a multiple of it."""


@dataclass(frozen=True)
class Moments:
    """Count, sum and sum of squares, exactly.

    Law: moments of a concatenation are the sum of the moments, with `==`.
    """

    count: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Moments":
        """The moments of finite numbers, shape (n,)."""
        fractions, exponents = np.frexp(values)
        mantissas = np.ldexp(fractions, _MANTISSA).astype(np.int64)
        total = squares = 0
        for exponent in np.unique(exponents).tolist():
            group = mantissas[exponents == exponent]
            shift = exponent - _MANTISSA
            high, low = group >> _HALF, group & ((1 << _HALF) - 1)
            total += _sum(group) << (SCALE + shift)
            square = (_sum(high * high) << 2 * _HALF) + (_sum(high * low) << _HALF + 1) + _sum(low * low)
            squares += square << (SCALE + 2 * shift)
        return cls(len(values), total, squares)

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> Fraction:
        """Exact mean; zero without values."""
        return Fraction(self.total, self.count << SCALE) if self.count else Fraction(0)

    @property
    def variance(self) -> Fraction:
        """Exact population variance, without cancellation; zero without values."""
        return Fraction(self.squares, self.count << SCALE) - self.mean**2 if self.count else Fraction(0)


def _sum(integers: NDArray[np.int64]) -> int:
    """The exact sum of integers of up to 54 bits."""
    # in halves, so that no sum of fewer than 2^36 of them overflows
    return (int((integers >> _HALF).sum()) << _HALF) + int((integers & ((1 << _HALF) - 1)).sum())
