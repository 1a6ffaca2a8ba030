"""What a valid vector of integers is: ranges, equalities and products that a proof can be made of.

A description, not a proof: `protocols.primitives.vdaf.validity` turns it into a circuit. What the
integers mean, and so which description is right, only the caller knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from protocols.canonical import Canonical, digest
from protocols.ring import Integers


@dataclass(frozen=True)
class Form:
    """An affine function of a vector: constant + Σ coefficient · coordinate.

    Parameters
    ----------
    terms
        Pairs of coordinate and coefficient, at least one; no coordinate twice.
    constant
        What is added.
    """

    terms: tuple[tuple[int, int], ...]
    constant: int = 0

    def __post_init__(self) -> None:
        coordinates = [coordinate for coordinate, _ in self.terms]
        if not coordinates or len(set(coordinates)) != len(coordinates):
            raise ValueError(f"a form needs terms in different coordinates, got {self.terms}")

    def __call__(self, vector: Sequence[int]) -> int:
        """Its value, exactly."""
        return self.constant + sum(coefficient * vector[at] for at, coefficient in self.terms)

    def interval(self, bounds: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Its smallest and largest value over a box of coordinates."""
        ends = [sorted(coefficient * end for end in bounds[at]) for at, coefficient in self.terms]
        return self.constant + sum(low for low, _ in ends), self.constant + sum(high for _, high in ends)


@dataclass(frozen=True)
class Range:
    """0 ≤ form ≤ largest."""

    family: str
    form: Form
    largest: int


@dataclass(frozen=True)
class Equality:
    """The form is zero."""

    family: str
    form: Form


@dataclass(frozen=True)
class Product:
    """0 ≤ left · right − square² ≤ largest."""

    family: str
    left: Form
    right: Form
    square: Form
    largest: int

    def __call__(self, vector: Sequence[int]) -> int:
        """Its value left · right − square², exactly."""
        return self.left(vector) * self.right(vector) - self.square(vector) ** 2


@dataclass(frozen=True, repr=False)
class Validity:
    """Everything that holds for a valid vector.

    Parameters
    ----------
    length
        Coordinates.
    ranges, equalities, products
        What holds. The ranges must bound every coordinate: taken in some order, each next coordinate
        stands with coefficient ±1 in a range whose other coordinates are bounded already.
    """

    length: int
    ranges: tuple[Range, ...]
    equalities: tuple[Equality, ...] = ()
    products: tuple[Product, ...] = ()

    def __repr__(self) -> str:
        return f"Validity({self.digest.hex()})"

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """The box that the ranges leave for every coordinate.

        Raises
        ------
        ValueError
            If they leave a coordinate free, naming it.
        """
        found: dict[int, tuple[int, int]] = {}
        waiting = list(self.ranges)
        while waiting:
            later = []
            for item in waiting:
                free = [term for term in item.form.terms if term[0] not in found]
                if len(free) > 1 or (free and abs(free[0][1]) != 1):
                    later.append(item)
                elif free:
                    at, sign = free[0]
                    # constant + sign · x + rest lies in 0 … largest
                    rest = [term for term in item.form.terms if term[0] != at]
                    ends = [sorted(c * end for end in found[i]) for i, c in rest]
                    low = -item.form.constant - sum(high for _, high in ends)
                    high = item.largest - item.form.constant - sum(low for low, _ in ends)
                    found[at] = (low, high) if sign == 1 else (-high, -low)
            if len(later) == len(waiting):
                break
            waiting = later
        for coordinate in range(self.length):
            if coordinate not in found:
                raise ValueError(f"no range bounds coordinate {coordinate}")
        return tuple(found[coordinate] for coordinate in range(self.length))

    @cached_property
    def largest(self) -> int:
        """No intermediate value of any rule exceeds this in absolute value, whatever bounded vector."""
        forms = [item.form for item in self.ranges] + [item.form for item in self.equalities]
        sizes = [max(map(abs, form.interval(self.bounds))) for form in forms]
        for product in self.products:
            left, right, square = (
                max(map(abs, form.interval(self.bounds)))
                for form in (product.left, product.right, product.square)
            )
            sizes.append(left * right + square**2)
        sizes += [item.largest for item in self.ranges] + [item.largest for item in self.products]
        return max(sizes)

    def broken(self, vector: Integers) -> tuple[str, ...]:
        """The families of rules that a vector breaks, each once, in the order of the description."""
        if vector.shape != (self.length,) or vector.dtype != np.int64:
            raise ValueError(
                f"expected int64 vector of length {self.length}, got {vector.dtype} {vector.shape}"
            )
        x = vector.tolist()
        families = [item.family for item in self.ranges if not 0 <= item.form(x) <= item.largest]
        families += [item.family for item in self.equalities if item.form(x) != 0]
        families += [item.family for item in self.products if not 0 <= item(x) <= item.largest]
        return tuple(dict.fromkeys(families))

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over every rule (32 bytes): sessions are bound to it."""

        def plain(form: Form) -> Canonical:
            return [form.constant, *(number for term in form.terms for number in term)]

        return digest(
            "securenb validity",
            self.length,
            [[item.family, plain(item.form), item.largest] for item in self.ranges],
            [[item.family, plain(item.form)] for item in self.equalities],
            [
                [item.family, plain(item.left), plain(item.right), plain(item.square), item.largest]
                for item in self.products
            ],
        )


@lru_cache(maxsize=16)
def within(length: int, largest: int) -> Validity:
    """Every coordinate lies in −largest … largest, and nothing else is asked."""
    return Validity(
        length, tuple(Range("bound", Form(((at, 1),), largest), 2 * largest) for at in range(length))
    )
