"""The standard circuits: count, sum, sums of vectors, histogram, multihot.

Source: draft-irtf-cfrg-vdaf-20, section 7.4, whose test vectors they reproduce.
"""

from collections.abc import Sequence

import numpy as np

from protocols.primitives.vdaf.bits import Bits
from protocols.primitives.vdaf.field import FIELD64, FIELD128, Elements, Field
from protocols.primitives.vdaf.flp import Circuit
from protocols.primitives.vdaf.gadget import Polynomial, ProductSum


class _Small(Circuit):
    """One number, checked by one polynomial for each element that encodes it; no joint randomness."""

    joint = 0
    outputs = 1
    field = FIELD64

    def wires(self, encoded: Elements, joint: Elements, shares: int) -> Elements:
        return encoded[np.newaxis]

    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        return products

    def truncate(self, encoded: Elements) -> Elements:
        return encoded


class Count(_Small):
    """0 or 1."""

    gadget = ProductSum(1)
    calls = length = checks = 1

    def encode(self, measurement: int) -> Elements:
        """The number itself."""
        return self.field.elements([measurement])

    def wires(self, encoded: Elements, joint: Elements, shares: int) -> Elements:
        """The number, twice."""
        return np.stack([encoded, encoded])

    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        """Its square is itself."""
        return self.field.sub(products, encoded)


class HigherDegree(_Small):
    """0, 1 or 2: the draft's test of a gadget of degree three."""

    gadget = Polynomial((0, 2, -3, 1))
    calls = length = checks = 1

    def encode(self, measurement: int) -> Elements:
        """The number itself."""
        return self.field.elements([measurement])


class Sum(_Small):
    """An integer in 0 … `largest`."""

    gadget = Polynomial((0, -1, 1))

    def __init__(self, largest: int) -> None:
        self._bits = Bits(largest)
        self.calls = self.length = self.checks = self._bits.count

    def encode(self, measurement: int) -> Elements:
        """Its bits."""
        return self.field.elements(self._bits.encode(measurement))

    def truncate(self, encoded: Elements) -> Elements:
        """The weighted bits."""
        return self.field.dot(self.field.elements(self._bits.weights), encoded).reshape(1)


class _ChunkedBits(Circuit):
    """Every element is 0 or 1, checked a chunk at a time with powers of one joint random element."""

    def __init__(self, field: Field, length: int, chunk: int) -> None:
        self.field = field
        self.length = length
        self.gadget = ProductSum(chunk)
        self.calls = self.joint = -(-length // chunk)
        self.checks = 1

    def wires(self, encoded: Elements, joint: Elements, shares: int) -> Elements:
        field, chunk = self.field, self.gadget.arity // 2
        padded = field.zeros(self.calls * chunk)
        padded[: self.length] = encoded
        chunks = padded.reshape(self.calls, chunk).T
        share_of_one = field.elements([pow(shares, -1, field.modulus)])
        wires = field.zeros((2 * chunk, self.calls))
        power = joint
        for index in range(chunk):
            wires[2 * index] = field.mul(power, chunks[index])
            power = field.mul(power, joint)
        wires[1::2] = field.sub(chunks, share_of_one)
        return wires

    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        return self.field.sum(products).reshape(1)


class SumVec(_ChunkedBits):
    """`count` integers, each in 0 … `largest`."""

    def __init__(self, count: int, largest: int, chunk: int, field: Field = FIELD128) -> None:
        self._bits = Bits(largest)
        self.outputs = count
        super().__init__(field, count * self._bits.count, chunk)

    def encode(self, measurement: Sequence[int]) -> Elements:
        """The bits of all."""
        if len(measurement) != self.outputs:
            raise ValueError(f"expected {self.outputs} integers, got {len(measurement)}")
        return self.field.elements([bit for value in measurement for bit in self._bits.encode(value)])

    def truncate(self, encoded: Elements) -> Elements:
        """The weighted bits of each."""
        return self.field.dot(encoded.reshape(self.outputs, -1), self.field.elements(self._bits.weights))


class Histogram(_ChunkedBits):
    """One of `buckets` buckets."""

    def __init__(self, buckets: int, chunk: int, field: Field = FIELD128) -> None:
        super().__init__(field, buckets, chunk)
        self.outputs = buckets
        self.checks = 2

    def encode(self, measurement: int) -> Elements:
        """A one in its bucket."""
        if not 0 <= measurement < self.outputs:
            raise ValueError(f"there is no bucket {measurement} among {self.outputs}")
        return self.field.elements([int(bucket == measurement) for bucket in range(self.outputs)])

    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        """All are bits, and they sum to one."""
        share_of_one = self.field.elements([pow(shares, -1, self.field.modulus)])
        total = self.field.sum(encoded).reshape(1)
        return np.concatenate([self.field.sum(products).reshape(1), self.field.sub(total, share_of_one)])

    def truncate(self, encoded: Elements) -> Elements:
        """All of it."""
        return encoded


class MultihotCountVec(_ChunkedBits):
    """`count` bits of which at most `weight` are set."""

    def __init__(self, count: int, weight: int, chunk: int, field: Field = FIELD128) -> None:
        self._weight = Bits(weight)
        super().__init__(field, count + self._weight.count, chunk)
        self.outputs = count
        self.checks = 2

    def encode(self, measurement: Sequence[int]) -> Elements:
        """The bits, then those of how many are set."""
        if len(measurement) != self.outputs:
            raise ValueError(f"expected {self.outputs} bits, got {len(measurement)}")
        bits = [int(bit) for bit in measurement]
        return self.field.elements([*bits, *self._weight.encode(sum(bits))])

    def checked(self, encoded: Elements, products: Elements, joint: Elements, shares: int) -> Elements:
        """All are bits, and as many are set as is claimed."""
        claimed = self.field.dot(encoded[self.outputs :], self.field.elements(self._weight.weights))
        total = self.field.sum(encoded[: self.outputs])
        difference = self.field.sub(total.reshape(1), claimed.reshape(1))
        return np.concatenate([self.field.sum(products).reshape(1), difference])

    def truncate(self, encoded: Elements) -> Elements:
        """The bits without their number."""
        return encoded[: self.outputs]
