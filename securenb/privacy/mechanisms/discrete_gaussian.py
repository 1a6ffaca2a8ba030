"""Discrete Gaussian noise, whose shares add up to nearly one: the reference for Skellam noise."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

from securenb.privacy.accountant import Query, calibrated, renyi_epsilon
from securenb.privacy.distributions import DiscreteGaussian as GaussianDistribution
from securenb.privacy.mechanism import Mechanism
from securenb.schema.schema import Block, Schema


@dataclass(frozen=True)
class DiscreteGaussian(Mechanism):
    """P(k) ∝ exp(-k² / 2 variance) on every coordinate (Canonne, Kamath and Steinke 2020).

    The sum of shares is not quite such a variable; the charge includes the difference (Kairouz, Liu and
    Steinke 2021). The standard deviation is the same multiple of every block's reach, the least that costs
    epsilon at delta by Rényi accounting.

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

    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> GaussianDistribution:
        """See `Mechanism.noise`."""
        reaches = tuple(block.reach for block in schema.blocks for _ in range(block.moves))
        relative = _relative_variance(reaches, self.epsilon, self.delta, among)
        variance = relative * (self.grid * block.reach) ** 2
        return GaussianDistribution(variance * shares / among, shares)


@lru_cache(maxsize=256)
def _relative_variance(reaches: tuple[int, ...], epsilon: Fraction, delta: float, among: int) -> Fraction:
    """Variance of a dose of `among` shares, over the squared reach."""
    shifts = [DiscreteGaussian.grid * reach for reach in reaches]

    def cost(relative: Fraction) -> float:
        return renyi_epsilon(
            [Query(GaussianDistribution(relative * shift**2, among), shift) for shift in shifts], delta
        )

    return calibrated(float(epsilon), cost)
