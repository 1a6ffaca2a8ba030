"""Who holds whose shares: all nodes, or the neighbours on a random circle (a Harary graph).

Source: Bell et al. 2020, "Secure Single-Server Aggregation with (Poly)Logarithmic Overhead", section 4
(Harary graph under a random permutation). Deviation: a node also holds a share of its own secrets, as in
Bonawitz et al. 2017, so the complete graph is the case in which all are neighbours.
"""

import sys
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import NDArray


class Neighbourhoods(ABC):
    """The holders of each node's shares, among the nodes 0 … size - 1 of a group.

    Holding is mutual: v holds a share of each node that holds one of v's.

    Attributes
    ----------
    size
        Nodes in the group.
    holders
        Nodes that hold a share of one node's secrets, itself included: the number of places.
    """

    size: int
    holders: int

    @abstractmethod
    def around(self, node: int) -> tuple[int, ...]:
        """The holders of `node`'s shares in the order of their places; they hold it, and it holds theirs."""

    @abstractmethod
    def mirrored(self, place: int, node: int) -> int:
        """The place of `node` around the node that stands at `place` around `node`."""


class Complete(Neighbourhoods):
    """Each node holds a share of every other."""

    def __init__(self, size: int) -> None:
        self.size = self.holders = size
        self._everybody = tuple(range(size))

    def around(self, node: int) -> tuple[int, ...]:
        """All nodes, in order."""
        return self._everybody

    def mirrored(self, place: int, node: int) -> int:
        """The node itself: a place is a node."""
        return node


class Harary(Neighbourhoods):
    """The `degree // 2` next nodes on either side of a circle, on which the nodes stand in random order.

    Parameters
    ----------
    size, degree
        Nodes, and neighbours of each: even and smaller than `size`.
    seed
        32 bytes that are public and that no party could choose; the order follows from them.
    """

    def __init__(self, size: int, degree: int, seed: bytes) -> None:
        if not 2 <= degree < size or degree % 2:
            raise ValueError(f"the degree must be even, from 2 to {size - 1}, got {degree}")
        self.size = size
        self.holders = degree + 1
        self._half = degree // 2
        self._seed = seed

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The nodes around the circle, with the first `degree` of them once more at the end."""
        order = permutation(self.size, self._seed)
        return np.concatenate([order, order[: 2 * self._half]])

    @cached_property
    def _position(self) -> NDArray[np.int64]:
        return np.argsort(self._order[: self.size])

    def around(self, node: int) -> tuple[int, ...]:
        """`degree // 2` nodes, the node itself, `degree // 2` nodes."""
        first = (self._position[node] - self._half) % self.size
        return tuple(self._order[first : first + self.holders].tolist())

    def mirrored(self, place: int, node: int) -> int:
        """The place as far on the other side."""
        return self.holders - 1 - place


def permutation(size: int, seed: bytes) -> NDArray[np.int64]:
    """The nodes 0 … size - 1 in a random order that follows from 32 bytes.

    Sorts 128-bit keys from AES-256-CTR: two are equal with probability below size² / 2^129, and then the
    order is not uniform.
    """
    stream = Cipher(AES256(seed), CTR(bytes(16))).encryptor().update(bytes(16 * size))
    keys = np.frombuffer(stream, "<u8").reshape(size, 2)
    if sys.byteorder == "big":
        keys = keys.astype(np.uint64)
    return np.lexsort((keys[:, 0], keys[:, 1]))
