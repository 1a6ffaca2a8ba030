"""Noise that several blocks of a class get at once, and the law of each of its cells by itself.

A mechanism that draws its noise coordinate by coordinate says so with `Mechanism.noise` alone. One whose
coordinates depend on each other says with `Mechanism.joint` which blocks are drawn together; `noise` is then
each cell's own law, for variances and tails, and what a change costs is asked of the whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protocols.ring import Integers
from securenb.privacy.box import Box
from securenb.privacy.cost import Cost, Pure
from securenb.privacy.distributions import Distribution, Floats
from securenb.privacy.samplers import Noise
from securenb.privacy.sensitivity import Adjacency
from securenb.schema.schema import Block


class Joint(ABC):
    """Noise on several blocks of one class; classes are independent."""

    blocks: tuple[Block, ...]
    """Which blocks, in the order in which a draw has their cells."""

    @property
    def columns(self) -> Integers:
        """Their columns of the table, in that order."""
        return np.concatenate([np.arange(block.start, block.stop) for block in self.blocks])

    @abstractmethod
    def draw(self, noise: Noise, size: int) -> Integers:
        """Independent draws, one a class, shape (size, columns), int64."""

    @abstractmethod
    def cost(self, adjacency: Adjacency, cap: int) -> Cost:
        """What a change of at most `cap` records costs: all these blocks of all classes together."""


@dataclass(frozen=True)
class BoxNoise(Joint):
    """`shares` independent draws of one `Box`, added up.

    Parameters
    ----------
    box
        The law of one of them.
    blocks
        The class count, then blocks of two levels or of one number, in the order of the box's parts.
    """

    box: Box
    blocks: tuple[Block, ...]
    shares: int = 1

    def draw(self, noise: Noise, size: int) -> Integers:
        """See `Joint.draw`."""
        drawn = noise.box(self.box, size * self.shares).reshape(self.shares, size, self.box.width)
        total: Integers = drawn.sum(axis=0)
        return total

    def cost(self, adjacency: Adjacency, cap: int) -> Pure:
        """See `Joint.cost`; exact, see `docs/privacy.md`. Draws beyond one are independent: post-processing.

        Replacing a record moves two classes by as much as adding one does, or one class by no more than
        twice that.
        """
        return Pure(self.box.epsilon * cap * (1 if adjacency == "add-remove" else 2))

    def marginal(self, block: Block) -> "BoxMarginal":
        """The law of each cell of one of the blocks."""
        return BoxMarginal(self.box, self.blocks.index(block), self.shares)


@dataclass(frozen=True)
class BoxMarginal(Distribution):
    """One cell of the sum of `shares` draws of a `Box`: correct by itself, but cells of a draw depend.

    Parameters
    ----------
    part
        Which part of the box it belongs to, see `Box.parts`.
    """

    box: Box
    part: int
    shares: int = 1

    def draw(self, noise: Noise, size: int) -> Integers:
        """See `Distribution.draw`."""
        cell = int(np.searchsorted(self.box.parts, self.part))
        drawn = noise.box(self.box, size * self.shares)[:, cell]
        total: Integers = drawn.reshape(self.shares, size).sum(axis=0)
        return total

    def repeated(self, count: int) -> "BoxMarginal":
        """See `Distribution.repeated`."""
        return BoxMarginal(self.box, self.part, self.shares * count)

    def pure(self, shift: int) -> Fraction:
        """See `Distribution.pure`; a bound: what the whole loses if nothing moves further."""
        return self.box.epsilon * -(-shift // self.box.reach(self.part))

    def renyi(self, orders: Integers, shift: int) -> Floats:
        """See `Distribution.renyi`; from pure epsilon (Bun and Steinke 2016, proposition 3.3)."""
        pure = float(self.pure(shift))
        return np.minimum(pure, orders * pure**2 / 2)

    def losses(self, shift: int) -> None:
        """See `Distribution.losses`; they are the whole draw's, and not tabulated."""

    def spread(self) -> float:
        """See `Distribution.spread`."""
        return self.shares * self.box.variance(self.part)

    def tail(self, log_failure: float) -> int:
        """See `Distribution.tail`: no cell of a draw leaves its box."""
        radius = self.box.tail(log_failure + float(np.log(self.shares)))
        return self.shares * radius * self.box.reach(self.part)


def of_blocks(epsilon: Fraction, blocks: Sequence[Block], shares: int) -> BoxNoise:
    """The noise of the blocks that a box holds: the class count, pairs of levels, and numbers."""
    count, *rest = blocks
    pairs = [block for block in rest if block.width == 2]
    numbers = [block for block in rest if block.width == 1]
    box = Box(epsilon, len(pairs), tuple(block.reach for block in numbers))
    return BoxNoise(box, (count, *pairs, *numbers), shares)
