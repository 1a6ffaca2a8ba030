"""The circuit of a validity description, built for cost.

A measurement is the vector itself, then the bits of every ranged value. That an element is a bit, and
that products are what they should be, is one sum of products under random weights; that bits and vector
belong together is linear, so it costs no proof.
"""

from collections.abc import Iterable

import numpy as np

from protocols.primitives.vdaf.bits import Bits
from protocols.primitives.vdaf.field import Elements, Field
from protocols.primitives.vdaf.flp import Circuit
from protocols.primitives.vdaf.gadget import ProductSum
from protocols.ring import Integers
from protocols.validity import Equality, Form, Validity


class _Forms:
    """Many affine forms, evaluated together on additive shares."""

    def __init__(self, field: Field, forms: Iterable[Form]) -> None:
        forms = tuple(forms)
        self._field = field
        self.count = len(forms)
        lengths = [len(form.terms) for form in forms]
        self._starts = np.cumsum([0, *lengths[:-1]], dtype=np.intp)
        self._columns = np.array([at for form in forms for at, _ in form.terms], dtype=np.intp)
        self._coefficients = field.elements([c for form in forms for _, c in form.terms])
        self._constants = field.elements([form.constant for form in forms])

    def of(self, vector: Elements, share_of_one: Elements) -> Elements:
        """Their values (count,)."""
        if not self.count:
            return self._field.zeros(0)
        terms = self._field.mul(vector[self._columns], self._coefficients)
        constants = self._field.mul(self._constants, share_of_one)
        return self._field.add(self._field.runs(terms, self._starts), constants)


class ValidVector(Circuit):
    """Vectors of integers that keep every rule of a description.

    Parameters
    ----------
    field
        Its modulus must be more than twice anything that a rule computes: then what holds modulo the
        prime holds for the integers.

    Raises
    ------
    ValueError
        If the field is too small, naming both numbers, or if the ranges leave a coordinate unbounded.
    """

    def __init__(self, validity: Validity, field: Field) -> None:
        if 2 * validity.largest >= field.modulus:
            raise ValueError(
                f"the rules compute values up to {validity.largest}; "
                f"the field's modulus is only {field.modulus}"
            )
        self.field = field
        self.validity = validity
        self.outputs = validity.length
        # a range of one number has no bits: it is an equality
        ranges = tuple(item for item in validity.ranges if item.largest)
        single = (Equality(item.family, item.form) for item in validity.ranges if not item.largest)
        equalities, products = (*validity.equalities, *single), validity.products
        self._ranged_rules = ranges
        largest = [item.largest for item in ranges] + [item.largest for item in products]
        self._ranges = [Bits(value) for value in largest]
        widths = [bits.count for bits in self._ranges]
        self._starts = np.cumsum([0, *widths[:-1]], dtype=np.intp)
        self._bit_weights = field.elements([weight for bits in self._ranges for weight in bits.weights])
        self._ranged = _Forms(field, (item.form for item in ranges))
        self._vanishing = _Forms(field, (item.form for item in equalities))
        self._left = _Forms(field, (item.left for item in products))
        self._right = _Forms(field, (item.right for item in products))
        self._square = _Forms(field, (item.square for item in products))
        bits = sum(widths)
        self.length = validity.length + bits
        self.joint = bits + len(products)
        self.checks = 1 + self._vanishing.count + self._ranged.count
        linear = [item.family for item in equalities] + [item.family for item in ranges]
        named = sorted(set(linear))
        self._order = np.array([0, *(1 + at for name in named for at, it in enumerate(linear) if it == name)])
        # products and bits are one sum, so they fail together
        squares = sorted({item.family for item in products})
        self._families = (
            (" or ".join([*squares, "bits that are none"]), 1),
            *((name, linear.count(name)) for name in named),
        )
        self._slots = bits + 2 * len(products)
        self.calls, chunk = _cheapest(self._slots)
        self.gadget = ProductSum(chunk)

    def encode(self, vector: Integers) -> Elements:
        """The vector and its bits.

        An invalid vector gets the bits of the nearest values in range: it can be shared like any other,
        but no proof about it holds.
        """
        x = vector.tolist()
        values = [item.form(x) for item in self._ranged_rules]
        values += [item(x) for item in self.validity.products]
        bits = [
            bit
            for code, value in zip(self._ranges, values, strict=True)
            for bit in code.encode(min(max(value, 0), code.largest))
        ]
        return np.concatenate([self.field.elements(vector), self.field.elements(bits)])

    def truncate(self, encoded: Elements) -> Elements:
        """The vector."""
        return encoded[: self.outputs]

    def wires(self, encoded: Elements, joint: Elements, shares: int) -> Elements:
        """Pairs (weight · bit, bit − 1), then (weight · left, right) and (−weight · square, square)."""
        field = self.field
        vector, bits = encoded[: self.outputs], encoded[self.outputs :]
        one = self._share_of_one(shares)
        weights = joint[len(bits) :]
        square = self._square.of(vector, one)
        minus_square = field.sub(field.zeros(len(square)), square)
        lefts = [
            field.mul(joint[: len(bits)], bits),
            field.mul(weights, self._left.of(vector, one)),
            field.mul(weights, minus_square),
        ]
        rights = [field.sub(bits, one), self._right.of(vector, one), square]
        chunk = self.gadget.arity // 2
        wires = field.zeros((self.gadget.arity, self.calls))
        for at, parts in enumerate((lefts, rights)):
            padded = field.zeros(self.calls * chunk)
            padded[: self._slots] = np.concatenate(parts)
            wires[at::2] = padded.reshape(chunk, self.calls)
        return wires

    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        """The weighted sum of all products; every equality; every ranged value minus its bits."""
        field = self.field
        vector, bits = encoded[: self.outputs], encoded[self.outputs :]
        one = self._share_of_one(shares)
        values = field.runs(field.mul(bits, self._bit_weights), self._starts)
        slack = field.dot(joint[len(bits) :], values[self._ranged.count :]).reshape(1)
        total = field.sub(field.sum(products).reshape(1), slack)
        linked = field.sub(self._ranged.of(vector, one), values[: self._ranged.count])
        checks: Elements = np.concatenate([total, self._vanishing.of(vector, one), linked])
        return np.take(checks, self._order)

    @property
    def families(self) -> tuple[tuple[str, int], ...]:
        """Products and bits; then each family of linear rules."""
        return self._families

    def _share_of_one(self, shares: int) -> Elements:
        return self.field.elements([pow(shares, -1, self.field.modulus)])


def _cheapest(slots: int) -> tuple[int, int]:
    """Calls and products a call for which a proof is shortest."""
    options = [((1 << level) - 1, -(-slots // ((1 << level) - 1))) for level in range(1, 32)]
    return min(options, key=lambda option: 2 * option[1] + 2 * option[0])
