"""The non-linear pieces of a validity circuit: what a proof is about."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from protocols.primitives.vdaf.field import Elements, Field


class Gadget(ABC):
    """A polynomial in several variables, evaluated many times in a circuit."""

    @property
    @abstractmethod
    def arity(self) -> int:
        """How many inputs it has."""

    @property
    @abstractmethod
    def degree(self) -> int:
        """Its total degree."""

    @abstractmethod
    def evaluate(self, field: Field, inputs: Elements) -> Elements:
        """Its values (k,) at k inputs (arity, k)."""


@dataclass(frozen=True)
class Polynomial(Gadget):
    """A polynomial in one variable, integer coefficients, constant first."""

    coefficients: tuple[int, ...]

    arity = 1

    @cached_property
    def degree(self) -> int:
        """The highest power."""
        return len(self.coefficients) - 1

    def evaluate(self, field: Field, inputs: Elements) -> Elements:
        """Horner's rule."""
        coefficients = field.elements(self.coefficients)
        value = field.zeros(inputs.shape[-1])
        for coefficient in coefficients[::-1]:
            value = field.add(field.mul(value, inputs[0]), coefficient)
        return value


@dataclass(frozen=True)
class ProductSum(Gadget):
    """x₀·x₁ + x₂·x₃ + … with `count` products: one call checks a whole chunk (BBCGGI19, section 4.4)."""

    count: int

    degree = 2

    @property
    def arity(self) -> int:
        """Two a product."""
        return 2 * self.count

    def evaluate(self, field: Field, inputs: Elements) -> Elements:
        """The inner product of the even and the odd inputs."""
        return field.sum(field.mul(inputs[0::2], inputs[1::2]), axis=0)
