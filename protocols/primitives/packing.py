"""Many small signed integers in one large one, so that adding the large ones adds all the small ones.

A plaintext is Σ xᵢ·2^(w·i) + 2^(w·k), over the integers and with signed xᵢ: k slots of w bits and above
them a counter, which in a sum says how many were added. A sum of slots that nodes could have reached
honestly uses at most half of what its slot can hold; whatever reaches into the other half is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import gmpy2
import numpy as np
from gmpy2 import mpz

from protocols.ring import BITS, Capacity, Integers


@dataclass(frozen=True)
class Slots:
    """How vectors of one length are laid out in plaintexts modulo n.

    Parameters
    ----------
    length
        Coordinates of a vector.
    capacity
        What the slots are wide enough for: `capacity.nodes` vectors within `capacity.largest_input`,
        and sums that the ring holds.
    bits
        Bits of the modulus n; plaintexts stay below half of it.

    Raises
    ------
    ValueError
        If not even one slot fits.
    """

    length: int
    capacity: Capacity
    bits: int

    def __post_init__(self) -> None:
        if self.per_plaintext < 1:
            raise ValueError(
                f"a modulus of {self.bits} bits has no room for a slot of {self.width} bits "
                f"and a counter to {self.capacity.nodes}"
            )

    def largest_sum(self, count: int) -> int:
        """The largest absolute value of a sum of `count` vectors that is not refused."""
        return count * self.capacity.largest_input

    @property
    def width(self) -> int:
        """Bits of a slot: the largest sum, its sign, and the half that no honest sum reaches."""
        return self.largest_sum(self.capacity.nodes).bit_length() + 2

    @property
    def per_plaintext(self) -> int:
        """Slots of a full plaintext: the counter may reach `capacity.nodes`, below n / 2."""
        return (self.bits - 2 - self.capacity.nodes.bit_length()) // self.width

    @property
    def plaintexts(self) -> int:
        """Plaintexts of a vector."""
        return -(-self.length // self.per_plaintext)

    def pack(self, vector: Integers) -> list[mpz]:
        """The plaintexts of one node's vector (d,), which must be within the capacity.

        Raises
        ------
        ValueError
            If the vector has another length or a coordinate is too large, naming it.
        """
        if vector.shape != (self.length,):
            raise ValueError(f"expected {self.length} coordinates, got {vector.shape}")
        self.capacity.check(vector)
        offset = 1 << min(self.width - 1, BITS - 1)
        shifted = vector.view(np.uint64) + np.uint64(offset)
        packed = []
        for at in range(0, self.length, self.per_plaintext):
            slots = shifted[at : at + self.per_plaintext].tolist()
            counter = mpz(1) << (self.width * len(slots))
            packed.append(counter + gmpy2.pack(slots, self.width) - self._ones(len(slots)) * offset)
        return packed

    def unpack(self, plaintexts: Sequence[mpz], modulus: mpz, count: int) -> Integers:
        """The sum (d,) of `count` packed vectors from plaintexts modulo n.

        Raises
        ------
        ValueError
            If a counter is not `count`, or a slot holds what `count` nodes within the capacity cannot
            have reached. The message never tells what was there: it may go to a party that must not
            learn it.
        """
        if len(plaintexts) != self.plaintexts:
            raise ValueError(f"expected {self.plaintexts} plaintexts, got {len(plaintexts)}")
        if not 1 <= count <= self.capacity.nodes:
            raise ValueError(f"the slots are for sums of 1 to {self.capacity.nodes} vectors, got {count}")
        half, largest = 1 << (self.width - 1), self.largest_sum(count)
        row: list[int] = []
        for plaintext in plaintexts:
            slots = min(self.per_plaintext, self.length - len(row))
            positive = (plaintext + self._ones(slots) * half) % modulus
            if positive >> (self.width * slots) != count:
                raise ValueError("a counter differs from the number of contributors")
            row += [int(slot) - half for slot in gmpy2.unpack(positive, self.width)[:slots]]
        if max(row) > largest or min(row) < -largest:
            raise ValueError("a slot is overfull")
        return np.array(row, dtype=np.int64)

    def _ones(self, slots: int) -> mpz:
        """Σ 2^(w·i) over the slots."""
        return ((mpz(1) << (self.width * slots)) - 1) // ((mpz(1) << self.width) - 1)
