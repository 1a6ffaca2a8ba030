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
    """

    epsilon: Fraction
    delta: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ValueError(f"epsilon must be a positive number, got {self.epsilon}")

    @classmethod
    def of(cls, epsilon: Fraction, delta: float) -> Self:
        """See `Mechanism.of`."""
        return cls(epsilon)

    def scale(self, schema: Schema, block: Block) -> Fraction:
        """Scale of the noise on each coordinate of `block`."""
        return block.moves * block.reach * len(schema.blocks) / self.epsilon

    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> Polya:
        """See `Mechanism.noise`."""
        return Polya(self.scale(schema, block), Fraction(shares, among))
