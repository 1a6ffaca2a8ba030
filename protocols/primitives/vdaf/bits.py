"""Integers in a range as bits: a range proof is a proof that every bit is 0 or 1.

Source: draft-irtf-cfrg-vdaf-20, section 7.4.2.
"""


class Bits:
    """The integers 0 … `largest` as bits, the last of which weighs whatever makes the sum `largest`."""

    def __init__(self, largest: int) -> None:
        if largest < 1:
            raise ValueError(f"a range needs a largest value of at least 1, got {largest}")
        self.largest = largest
        self.count = largest.bit_length()
        self.last = largest - (1 << (self.count - 1)) + 1
        self.weights = [*(1 << bit for bit in range(self.count - 1)), self.last]

    def encode(self, value: int) -> list[int]:
        """The bits of `value`; `ValueError` if it is out of range."""
        if not 0 <= value <= self.largest:
            raise ValueError(f"{value} is not in 0 … {self.largest}")
        top = value >> (self.count - 1)
        rest = value - top * self.last
        return [*(rest >> bit & 1 for bit in range(self.count - 1)), top]
