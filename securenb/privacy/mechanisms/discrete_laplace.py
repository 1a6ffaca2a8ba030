"""Discrete Laplace noise in Pólya shares: pure differential privacy for integer sums."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

from securenb.privacy.distributions import Polya
from securenb.privacy.mechanism import Mechanism
from securenb.schema.schema import Block, Schema


@dataclass(frozen=True)
class DiscreteLaplace(Mechanism):
    """P(k) ∝ exp(-|k| / scale) on every coordinate (Ghosh, Roughgarden and Sundararajan 2009).

    A record answers one query for each block of its class: m = 1 + categorical + 2 · numeric features.
    Each query gets epsilon / m (sequential composition), so a block that one record moves by at most
    `reach` gets scale reach · m / epsilon. Classes compose in parallel under add/remove, because a
    record has one class and every cell of every class, empty or not, gets noise.

    Parameters
    ----------
    epsilon
        What one opened row costs, exactly.
    count
        The part that the class count gets of what each other query gets, from 0.01 to 1: the count then has
        a weight of `count` among m - 1 of 1. Where a feature's levels add up to the count they tell it
        nearly as well (`securenb.federation.postprocess.consistent`), and all others have less noise.
    """

    epsilon: Fraction
    count: float = 1.0
    delta: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ValueError(f"epsilon must be a positive number, got {self.epsilon}")
        if not 0.01 <= self.count <= 1:
            raise ValueError(
                f"count must be from 0.01 to 1, got {self.count}: the class count gets that part of what "
                "each other query gets, and less than a hundredth gains nothing"
            )

    def __str__(self) -> str:
        # ledgers keep this: a mechanism that spends evenly is called what it has always been
        if self.count == 1:
            return f"{type(self).__name__}(epsilon={self.epsilon})"
        return super().__str__()

    @classmethod
    def of(cls, epsilon: Fraction, delta: float) -> Self:
        """See `Mechanism.of`."""
        return cls(epsilon)

    def scale(self, schema: Schema, block: Block) -> Fraction:
        """Scale of the noise on each coordinate of `block`.

        Raises
        ------
        ValueError
            If the class count would get less than its part, and no feature's levels tell it.
        """
        part = Fraction(str(self.count))
        if part < 1 and not _told(schema):
            raise ValueError(
                f"count={self.count} spends little on the class count, and no feature has levels that tell "
                "it: leave count out"
            )
        weight = part if block.feature < 0 else Fraction(1)
        return block.moves * block.reach * (len(schema.blocks) - 1 + part) / (weight * self.epsilon)

    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> Polya:
        """See `Mechanism.noise`."""
        return Polya(self.scale(schema, block), Fraction(shares, among))


def _told(schema: Schema) -> bool:
    return schema.blocks[0].kind == "count" and any(block.partition for block in schema.blocks)
