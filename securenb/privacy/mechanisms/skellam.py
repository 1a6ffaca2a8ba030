"""Skellam noise in Skellam shares: close to a Gaussian, and it adds up exactly."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

from securenb.privacy.accountant import Query, calibrated, renyi_epsilon
from securenb.privacy.distributions import Skellam as SkellamDistribution
from securenb.privacy.mechanism import Mechanism
from securenb.schema.schema import Block, Schema


@dataclass(frozen=True)
class Skellam(Mechanism):
    """The difference of two Poisson variables on every coordinate (Agarwal, Kairouz and Liu 2021).

    The standard deviation is the same multiple of every block's reach, the least that costs epsilon at
    delta by Rényi accounting. On a grid of 16 this costs at most 0.1 % more than a Gaussian.

    Parameters
    ----------
    epsilon, delta
        What one opened row costs.
    """

    epsilon: Fraction
    delta: float
    needs_delta: ClassVar[bool] = True
    grid: ClassVar[int] = 16

    @classmethod
    def of(cls, epsilon: Fraction, delta: float) -> Self:
        """See `Mechanism.of`."""
        return cls(epsilon, delta)

    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> SkellamDistribution:
        """See `Mechanism.noise`."""
        reaches = tuple(block.reach for block in schema.blocks for _ in range(block.moves))
        variance = _relative_variance(reaches, self.epsilon, self.delta) * (self.grid * block.reach) ** 2
        return SkellamDistribution(variance * shares / among)


@lru_cache(maxsize=256)
def _relative_variance(reaches: tuple[int, ...], epsilon: Fraction, delta: float) -> Fraction:
    """Variance of a dose, over the squared reach."""
    shifts = [Skellam.grid * reach for reach in reaches]

    def cost(relative: Fraction) -> float:
        return renyi_epsilon(
            [Query(SkellamDistribution(relative * shift**2), shift) for shift in shifts], delta
        )

    return calibrated(float(epsilon), cost)
