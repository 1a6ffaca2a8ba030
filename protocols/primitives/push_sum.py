"""Push-sum without rounding away any mass: 128-bit fixed point, and a proof of how many rounds suffice.

Source: Kempe, Dobra and Gehrke 2003, "Gossip-based computation of aggregate information", section 2.1.
Every node has a mass and a weight; each round it keeps half of both and pushes half to a neighbour; mass
over weight converges to the mean. Deviations: halves are integers that add up to the whole, so the total
is conserved exactly; and partners are drawn from public randomness, so that all nodes know whom to expect,
and the number of rounds after which every node's sum rounds to the true integer is computed beforehand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from protocols.canonical import digest
from protocols.primitives.mask import expand
from protocols.primitives.topology import Topology, neighbours
from protocols.ring import Integers

Wide = NDArray[np.uint64]
"""Signed 128-bit integers, shape (2, …): low words, then high words."""

WIDE_BITS = 128
MOST_ROUNDS = 5_000
CHECK_EVERY = 4

_ONE, _WORD = np.uint64(1), np.uint64(63)


def widened(values: Sequence[int] | Integers, shift: int) -> Wide:
    """`values` · 2^`shift`, shape (2, d); every result must be within ±2^127."""
    wide = np.empty((2, len(values)), np.uint64)
    for at, value in enumerate(values):
        word = (int(value) << shift) & ((1 << WIDE_BITS) - 1)
        wide[0, at], wide[1, at] = word & ((1 << 64) - 1), word >> 64
    return wide


def integers(wide: Wide) -> list[int]:
    """The values of shape (2, d), as Python integers."""
    high = wide[1].view(np.int64)
    return [(top << 64) | low for low, top in zip(wide[0].tolist(), high.tolist(), strict=True)]


def halves(wide: Wide) -> tuple[Wide, Wide]:
    """Two halves that add up to the whole: what stays, which is never the smaller, and what goes."""
    goes = np.empty_like(wide)
    goes[0] = (wide[0] >> _ONE) | (wide[1] << _WORD)
    goes[1] = (wide[1].view(np.int64) >> 1).view(np.uint64)
    stays = goes.copy()
    add(stays, np.stack([wide[0] & _ONE, np.zeros_like(wide[1])]))
    return stays, goes


def add(wide: Wide, other: Wide) -> None:
    """Add `other` to `wide` in place."""
    wide[0] += other[0]
    wide[1] += other[1] + (wide[0] < other[0])


def negated(wide: Wide) -> Wide:
    """The negatives."""
    return np.stack([~wide[0] + _ONE, ~wide[1] + (wide[0] == 0)])


def absolute(wide: Wide) -> NDArray[np.float64]:
    """The absolute values, rounded to double precision."""
    magnitude = np.where(wide[1].view(np.int64) < 0, negated(wide), wide)
    values: NDArray[np.float64] = magnitude[1] * 2.0**64 + magnitude[0]
    return values


@dataclass(frozen=True, eq=False)
class Schedule:
    """Who pushes to whom, and how numbers are written.

    Attributes
    ----------
    partners
        To whom each node pushes in each round, shape (rounds, n).
    mass_shift, weight_shift
        Fraction bits of masses and of weights.
    """

    partners: NDArray[np.int64]
    mass_shift: int
    weight_shift: int

    @property
    def rounds(self) -> int:
        """How many rounds suffice."""
        return len(self.partners)

    @property
    def size(self) -> int:
        """How many nodes take part."""
        return int(self.partners.shape[1])

    def senders(self, turn: int, node: int) -> list[int]:
        """Who pushes to `node` in a round."""
        return np.flatnonzero(self.partners[turn] == node).tolist()

    def begin(self, vector: Integers) -> Wide:
        """The mass and, as the last coordinate, the weight that a node starts with, (2, d + 1)."""
        return np.hstack([widened(vector, self.mass_shift), widened([1], self.weight_shift)])

    def total(self, wide: Wide) -> Integers:
        """The sum of all vectors, (d,), as a node sees it after the last round.

        Raises
        ------
        ValueError
            If it is not nearly a whole number: some node has not conserved mass.
        """
        *masses, weight = integers(wide)
        if weight <= 0:
            raise ValueError(f"the weight is {weight}, and should be positive")
        found = []
        for mass in masses:
            scaled = self.size * mass << (self.weight_shift - self.mass_shift)
            nearest = (2 * scaled + weight) // (2 * weight)
            if 4 * abs(scaled - nearest * weight) > weight:
                raise ValueError(f"the sum is {scaled / weight:.3f}, and should be nearly a whole number")
            found.append(nearest)
        if max(map(abs, found)) >= 1 << 63:
            raise ValueError("the sum is beyond the ring")
        return np.array(found, np.int64)


@lru_cache(maxsize=4096)
def schedule(topology: Topology, size: int, degree: int, bound: int, seed: bytes) -> Schedule:
    """The rounds after which all of `size` nodes know the sum of any vectors within ±`bound`, exactly.

    A dry run on unit vectors gives the share of every vector in every node's mass after each round. The error
    of a node's sum is at most `bound` times the distance of its shares from equal ones, plus rounding; rounds
    are added until it is below a quarter at every node.

    Raises
    ------
    ValueError
        If the topology cannot be (see `neighbours`), or more than 5 000 rounds would be needed.
    """
    graph = neighbours(topology, size, degree, seed) if size > 1 else ((0,),)
    weight_shift = WIDE_BITS - 2 - size.bit_length()
    mass_shift = min(weight_shift, WIDE_BITS - 2 - (size * bound).bit_length())
    identity = np.zeros((2, size, size + 1), np.uint64)
    for node in range(size):
        unit = [size if other == node else 0 for other in range(size)]
        identity[:, node] = widened([*unit, 1], weight_shift)
    state = identity
    partners: list[list[int]] = []
    while size > 1 and not _enough(state, bound, len(partners), mass_shift, weight_shift):
        if len(partners) >= MOST_ROUNDS:
            raise ValueError(f"{topology} among {size} nodes does not converge in {MOST_ROUNDS} rounds")
        for _ in range(CHECK_EVERY):
            words = expand(digest("securenb gossip partners", seed, len(partners)), size)
            row = [near[int(word) % len(near)] for near, word in zip(graph, words, strict=True)]
            partners.append(row)
            stays, goes = halves(state)
            for node, partner in enumerate(row):
                add(stays[:, partner], goes[:, node])
            state = stays
    return Schedule(np.array(partners, np.int64).reshape(-1, size), mass_shift, weight_shift)


def _enough(state: Wide, bound: int, rounds: int, mass_shift: int, weight_shift: int) -> bool:
    """Whether no sum of vectors within the bound is off by more than a quarter at any node."""
    size = state.shape[1]
    weights = absolute(state[:, :, -1])
    distance = state[:, :, :-1].copy()
    add(distance, negated(state[:, :, -1:]))
    mixing = absolute(distance).sum(axis=1) * bound / weights
    # one unit in the last place may be misplaced by each node in each round, of mass, weight and dry run
    steps = size * rounds
    rounding = size * steps * 2.0**-mass_shift * 2.0**weight_shift + 2 * size * bound * steps
    return bool((mixing + rounding / weights < 0.25).all())
