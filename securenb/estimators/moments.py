"""Exact sums of floating-point numbers and of their squares: integers that add, whatever the batches."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MANTISSA = 53
_HALF = 27

FINEST = 1074 + _MANTISSA
"""Every double is a mantissa of 53 bits times a power of two that is at least 2^-FINEST."""

UNIT = 1 << FINEST
"""A weight of one, in the unit of counts: every weight that is a double is a multiple of it."""

SCALE = 2 * FINEST
"""Sums are integers in units of 2^-SCALE: the square of every double is a multiple of it."""

Weights = NDArray[np.object_]
"""Python integers in units of 1 / UNIT, shape (n,)."""


def exact_weights(weights: NDArray[np.float64]) -> Weights:
    """Finite weights as integers, exactly, shape (n,)."""
    found = np.empty(len(weights), dtype=object)
    found[:] = [
        numerator * (UNIT // denominator)
        for numerator, denominator in (weight.as_integer_ratio() for weight in weights.tolist())
    ]
    return found


@dataclass(frozen=True)
class Moments:
    """Count, sum and sum of squares, exactly.

    Law: moments of a concatenation are the sum of the moments, with `==`.

    Attributes
    ----------
    count
        Sum of the weights, in units of 1 / `UNIT`.
    total, squares
        Weighted sums, in units of 2^-`SCALE` / `UNIT`.
    """

    count: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: Weights | None = None) -> "Moments":
        """The moments of finite numbers, shape (n,), each of weight one or of its own."""
        fractions, exponents = np.frexp(values)
        mantissas = np.ldexp(fractions, _MANTISSA).astype(np.int64)
        total = squares = 0
        for exponent in np.unique(exponents).tolist():
            group = exponents == exponent
            first, second = (
                _sums(mantissas[group]) if weights is None else _weighted(mantissas[group], weights[group])
            )
            shift = exponent - _MANTISSA
            total += first << (SCALE + shift)
            squares += second << (SCALE + 2 * shift)
        count = len(values) * UNIT if weights is None else sum(weights.tolist())
        return cls(count, total, squares)

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """The float nearest to the exact mean; zero without values."""
        return self.total / (self.count << SCALE) if self.count else 0.0

    @property
    def variance(self) -> float:
        """The float nearest to the exact population variance, without cancellation; zero without values."""
        scaled = (self.squares * self.count << SCALE) - self.total**2
        return scaled / (self.count**2 << 2 * SCALE) if self.count else 0.0


def _sums(mantissas: NDArray[np.int64]) -> tuple[int, int]:
    """The exact sum of integers and of their squares, each counted `UNIT` times."""
    high, low = mantissas >> _HALF, mantissas & ((1 << _HALF) - 1)
    squares = (_sum(high * high) << 2 * _HALF) + (_sum(high * low) << _HALF + 1) + _sum(low * low)
    return _sum(mantissas) * UNIT, squares * UNIT


def _weighted(mantissas: NDArray[np.int64], weights: Weights) -> tuple[int, int]:
    products: NDArray[Any] = mantissas.astype(object) * weights
    return sum(products.tolist()), sum((products * mantissas.astype(object)).tolist())


def _sum(integers: NDArray[np.int64]) -> int:
    """The exact sum of integers of up to 54 bits."""
    # in halves, so that no sum of fewer than 2^36 of them overflows
    return (int((integers >> _HALF).sum()) << _HALF) + int((integers & ((1 << _HALF) - 1)).sum())
