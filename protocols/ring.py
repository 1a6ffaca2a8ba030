"""Integers modulo 2^64: the ring in which every protocol adds, and the proof that no sum wraps.

`numpy.uint64` wraps for free, and reading the bits as `int64` is the centred representative.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.errors import FaultyParty, blaming
from protocols.integers import whole
from protocols.session_rules import RefusedSession, SessionRule

Residues = NDArray[np.uint64]
"""A vector modulo 2^64, shape (d,)."""

Integers = NDArray[np.int64]
"""Signed integers, the centred representatives of residues."""

BITS = 64
WORD_BYTES = 8


def to_ring(values: Integers) -> Residues:
    """Residues of signed integers; no copy."""
    if values.dtype != np.int64:
        raise ValueError(f"expected int64 values, got {values.dtype}")
    return values.view(np.uint64)


def from_ring(residues: Residues) -> Integers:
    """Centred representatives in [-2^63, 2^63); no copy."""
    return residues.view(np.int64)


def to_bytes(residues: Residues) -> bytes:
    """Little-endian words, 8 bytes each."""
    return residues.astype("<u8", copy=False).tobytes()


def from_bytes(data: bytes) -> Residues:
    """Inverse of `to_bytes`; the array is read-only. The caller has checked the length."""
    return np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False)


def total(vectors: Iterable[Residues]) -> Residues:
    """The sum of at least one vector, a new array."""
    terms = iter(vectors)
    result = next(terms).copy()
    for vector in terms:
        result += vector
    return result


@dataclass(frozen=True)
class Capacity:
    """How large sums can get, and the proof that the ring holds them.

    Parameters
    ----------
    bound
        The largest absolute value of one coordinate of one node, without noise.
    nodes
        The most nodes in one group.
    tail
        What the noise of a whole group stays within (the planner says with which probability).

    Raises
    ------
    ValueError
        If a number is not an integer, or if `nodes * (bound + tail)` could reach 2^63, naming the
        numbers: every node may send up to `largest_input`, malicious ones will, and not even then may a
        sum come out as another number.
    """

    bound: int
    nodes: int
    tail: int = 0

    def __post_init__(self) -> None:
        for name in ("bound", "nodes", "tail"):
            object.__setattr__(self, name, whole(f"a capacity's {name}", getattr(self, name)))
        if self.bound < 1 or self.nodes < 1 or self.tail < 0:
            raise ValueError(f"a capacity needs bound ≥ 1, nodes ≥ 1, tail ≥ 0, got {self}")
        if self.largest_row >= 1 << (BITS - 1):
            raise RefusedSession(
                SessionRule.NO_WRAP,
                f"sums could wrap: {self.nodes} nodes × (bound {self.bound} + noise tail {self.tail}) "
                f"= {self.largest_row} needs {self.largest_row.bit_length() + 1} bits; the ring has {BITS}",
            )

    @property
    def largest_sum(self) -> int:
        """No coordinate of an honest group's sum exceeds this in absolute value."""
        return self.bound * self.nodes + self.tail

    @property
    def largest_input(self) -> int:
        """No coordinate of an honest node's noised vector exceeds this in absolute value."""
        return self.bound + self.tail

    @property
    def largest_row(self) -> int:
        """No coordinate of any sum of vectors that pass `check` exceeds this in absolute value."""
        return self.nodes * self.largest_input

    def check(self, vector: Integers) -> None:
        """Raise `ValueError`, naming the coordinate, if a node's vector is larger than it may be."""
        # abs() would map the most negative integer to itself
        outside = (vector > self.largest_input) | (vector < -self.largest_input)
        if outside.any():
            where = int(np.argmax(outside))
            raise ValueError(
                f"coordinate {where} is {int(vector[where])}; a node may send at most "
                f"±{self.largest_input} (bound {self.bound} + noise tail {self.tail})"
            )


def received(sender: str, words: bytes, length: int, capacity: Capacity | None = None) -> Residues:
    """The vector (length,) that a remote party sent; read-only.

    Parameters
    ----------
    capacity
        What its integers must be within; `None` for uniform residues.

    Raises
    ------
    FaultyParty
        If its length is wrong or a coordinate too large, blaming `sender`.
    """
    if len(words) != WORD_BYTES * length:
        raise FaultyParty(sender, f"sent a vector of {len(words)} bytes, expected {WORD_BYTES * length}")
    vector = from_bytes(words)
    if capacity is not None:
        with blaming(sender, "sent too large a value"):
            capacity.check(from_ring(vector))
    return vector
