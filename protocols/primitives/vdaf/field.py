"""Arithmetic modulo two primes, on whole arrays at a time.

`FIELD64` computes on `uint64` arrays, `FIELD128` on object arrays of Python integers: the first is for
speed, the second for circuits whose soundness should rest on a single proof.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Elements = NDArray[Any]
"""Field elements, fully reduced; any shape."""


class Field(ABC):
    """A prime field with a large power-of-two root of unity.

    Attributes
    ----------
    modulus
        The prime.
    size
        Bytes of an encoded element.
    order
        Order of `generator`, a power of two.
    """

    modulus: int
    size: int
    order: int
    generator: int

    @abstractmethod
    def elements(self, values: Sequence[int] | NDArray[np.int64]) -> Elements:
        """Integers of either sign, reduced; same shape."""

    @abstractmethod
    def integers(self, values: Elements) -> list[int]:
        """Representatives in 0 … modulus − 1, flattened."""

    @abstractmethod
    def zeros(self, shape: int | tuple[int, ...]) -> Elements:
        """Zeros."""

    @abstractmethod
    def add(self, a: Elements, b: Elements) -> Elements:
        """Sum a + b, broadcast."""

    @abstractmethod
    def sub(self, a: Elements, b: Elements) -> Elements:
        """Difference a − b, broadcast."""

    @abstractmethod
    def mul(self, a: Elements, b: Elements) -> Elements:
        """Product a · b, broadcast."""

    @abstractmethod
    def sum(self, values: Elements, axis: int = -1) -> Elements:
        """Sum along an axis."""

    @abstractmethod
    def runs(self, values: Elements, starts: NDArray[np.intp]) -> Elements:
        """Sums of the runs of a vector that begin at `starts`, none of them empty."""

    @abstractmethod
    def encode(self, values: Elements) -> bytes:
        """Little-endian, `size` bytes an element."""

    @abstractmethod
    def accept(self, data: bytes) -> Elements:
        """Elements in whole encodings, leaving out those not below the modulus."""

    def decode(self, data: bytes) -> Elements:
        """Inverse of `encode`; `ValueError` if the length is odd or an element is not reduced."""
        if len(data) % self.size:
            raise ValueError(f"{len(data)} bytes are not whole field elements of {self.size} bytes")
        values = self.accept(data)
        if len(values) * self.size != len(data):
            raise ValueError("a field element is not below the modulus")
        return values

    def signed(self, values: Elements) -> list[int]:
        """Representatives nearest to zero, flattened."""
        return [value - self.modulus * (2 * value > self.modulus) for value in self.integers(values)]

    def dot(self, a: Elements, b: Elements) -> Elements:
        """Inner products along the last axis, broadcast."""
        return self.sum(self.mul(a, b))

    def root(self, order: int) -> int:
        """A primitive root of unity of the given order, a power of two."""
        return pow(self.generator, self.order // order, self.modulus)

    def powers(self, base: int, count: int) -> Elements:
        """1, base, base², … (count of them)."""
        values = self.elements([1])
        while len(values) < count:
            step = self.elements([pow(base, len(values), self.modulus)])
            values = np.concatenate([values, self.mul(values, step)])
        return values[:count]


_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class _Field64(Field):
    """2^64 − 2^32 + 1: since 2^64 ≡ 2^32 − 1 and 2^96 ≡ −1, a product is reduced by shifts and adds."""

    modulus = 2**32 * 4294967295 + 1
    size = 8
    order = 2**32
    generator = pow(7, 4294967295, modulus)
    _p = np.uint64(modulus)

    def elements(self, values: Sequence[int] | NDArray[np.int64]) -> Elements:
        if isinstance(values, np.ndarray) and values.dtype == np.int64:
            return values.view(np.uint64) + np.where(values < 0, self._p, np.uint64(0))
        return np.array([value % self.modulus for value in values], dtype=np.uint64)

    def integers(self, values: Elements) -> list[int]:
        return [int(value) for value in values.reshape(-1)]

    def zeros(self, shape: int | tuple[int, ...]) -> Elements:
        return np.zeros(shape, dtype=np.uint64)

    def add(self, a: Elements, b: Elements) -> Elements:
        with np.errstate(over="ignore"):
            total = a + b
            # where the sum left 64 bits, subtracting the modulus wraps it back to the right value
            return total - np.where((total < a) | (total >= self._p), self._p, np.uint64(0))

    def sub(self, a: Elements, b: Elements) -> Elements:
        with np.errstate(over="ignore"):
            return a - b + np.where(a < b, self._p, np.uint64(0))

    def mul(self, a: Elements, b: Elements) -> Elements:
        with np.errstate(over="ignore"):
            a0, a1 = a & _LOW, a >> _HALF
            b0, b1 = b & _LOW, b >> _HALF
            low = a0 * b0
            middle = a0 * b1 + (low >> _HALF)
            cross = a1 * b0 + (middle & _LOW)
            high = a1 * b1 + (middle >> _HALF) + (cross >> _HALF)
            return self._reduce(high, (cross << _HALF) | (low & _LOW))

    def _reduce(self, high: Elements, low: Elements) -> Elements:
        """The reduced value of high · 2^64 + low."""
        top = high >> _HALF
        value: Elements = low - top
        value -= np.where(low < top, _LOW, np.uint64(0))
        rest = (high & _LOW) * _LOW
        value += rest
        value += np.where(value < rest, _LOW, np.uint64(0))
        value -= np.where(value >= self._p, self._p, np.uint64(0))
        return value

    def _halves(self, low: Elements, high: Elements) -> Elements:
        """The reduced value of high · 2^32 + low, both sums of fewer than 2^32 halves."""
        with np.errstate(over="ignore"):
            shifted = high << _HALF
            value = shifted + low
            return self._reduce((high >> _HALF) + (value < low), value)

    def sum(self, values: Elements, axis: int = -1) -> Elements:
        return self._halves((values & _LOW).sum(axis=axis), (values >> _HALF).sum(axis=axis))

    def runs(self, values: Elements, starts: NDArray[np.intp]) -> Elements:
        low, high = (np.add.reduceat(half, starts) for half in (values & _LOW, values >> _HALF))
        return self._halves(low, high)

    def encode(self, values: Elements) -> bytes:
        return values.astype("<u8", copy=False).tobytes()

    def accept(self, data: bytes) -> Elements:
        values = np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False)
        below = values < self._p
        return values if below.all() else values[below]


class _Field128(Field):
    """2^66 · 4611686018427387897 + 1, one Python integer an element."""

    modulus = 2**66 * 4611686018427387897 + 1
    size = 16
    order = 2**66
    generator = pow(7, 4611686018427387897, modulus)

    def elements(self, values: Sequence[int] | NDArray[np.int64]) -> Elements:
        return np.asarray(values, dtype=object) % self.modulus

    def integers(self, values: Elements) -> list[int]:
        return [int(value) for value in values.reshape(-1)]

    def zeros(self, shape: int | tuple[int, ...]) -> Elements:
        return np.zeros(shape, dtype=np.int64).astype(object)

    def add(self, a: Elements, b: Elements) -> Elements:
        return (a + b) % self.modulus

    def sub(self, a: Elements, b: Elements) -> Elements:
        return (a - b) % self.modulus

    def mul(self, a: Elements, b: Elements) -> Elements:
        return a * b % self.modulus

    def sum(self, values: Elements, axis: int = -1) -> Elements:
        return np.asarray(np.sum(values, axis=axis) % self.modulus, dtype=object)

    def runs(self, values: Elements, starts: NDArray[np.intp]) -> Elements:
        return np.add.reduceat(values, starts) % self.modulus

    def encode(self, values: Elements) -> bytes:
        return b"".join(value.to_bytes(self.size, "little") for value in self.integers(values))

    def accept(self, data: bytes) -> Elements:
        words = (data[at : at + self.size] for at in range(0, len(data), self.size))
        numbers = [int.from_bytes(word, "little") for word in words]
        return np.array([number for number in numbers if number < self.modulus], dtype=object)


FIELD64 = _Field64()
FIELD128 = _Field128()


@lru_cache(maxsize=256)
def twiddles(field: Field, order: int, count: int, inverse: bool) -> Elements:  # noqa: FBT001 - a cache key
    """The first `count` powers of a root of unity of the given order, or of its inverse."""
    root = field.root(order)
    values = field.powers(pow(root, -1, field.modulus) if inverse else root, count)
    values.flags.writeable = False
    return values
