"""Discrete Laplace noise in Pólya shares: pure differential privacy for integer sums."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protocols.ring import Integers
from securenb.mechanism import TAIL_BITS, Charge, Mechanism, exact
from securenb.noise import Noise
from securenb.schema import Block, Schema


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

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ValueError(f"epsilon must be a positive number, got {self.epsilon}")

    @classmethod
    def from_epsilon(cls, epsilon: float | str | Fraction) -> "DiscreteLaplace":
        """See `Mechanism.from_epsilon`."""
        return cls(exact(epsilon))

    def scale(self, schema: Schema, block: Block) -> Fraction:
        """Scale of the noise on each coordinate of `block`."""
        return block.reach * len(schema.blocks) / self.epsilon

    def share(self, schema: Schema, among: int, noise: Noise) -> Integers:
        """See `Mechanism.share`."""
        if among < 1:
            raise ValueError(f"a dose needs at least one share, got {among}")
        table = np.empty((len(schema.classes), schema.width), dtype=np.int64)
        for block in schema.blocks:
            cells = table[:, block.columns]
            cells[...] = noise.laplace_share(self.scale(schema, block), among, cells.size).reshape(
                cells.shape
            )
        return table.reshape(-1)

    def tail(self, schema: Schema, among: int, nodes: int) -> int:
        """See `Mechanism.tail`; a Chernoff bound on the negative binomial and a union over coordinates."""
        if among < 1:
            raise ValueError(f"a dose needs at least one share, got {among}")
        shape = nodes / among
        widest = float(max(self.scale(schema, block) for block in schema.blocks))
        log_failure = TAIL_BITS * math.log(2) + math.log(2 * schema.length)
        log_none = math.log(-math.expm1(-1 / widest))
        tilts = np.linspace(0.01, 0.99, 99)
        log_moments = shape * (log_none - np.log(-np.expm1((tilts - 1) / widest)))
        return math.ceil(float(np.min((log_moments + log_failure) * widest / tilts)))

    def charge(self, schema: Schema) -> Charge:
        """See `Mechanism.charge`."""
        return Charge(self.epsilon)
