"""What is claimed of a release, and how much epsilon an event shows against it.

An event happens with probability at least `common` on one input and at most `rare` on its neighbour.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import optimize, special

from securenb.bayes.parameters import Floats


@dataclass(frozen=True)
class Claim(ABC):
    """Differential privacy of some kind.

    Parameters
    ----------
    epsilon, delta
        Of (epsilon, delta)-DP, which every claim implies.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise ValueError(f"epsilon must be a positive number, got {self.epsilon}")
        if not 0 <= self.delta < 1:
            raise ValueError(f"delta must be at least 0 and below 1, got {self.delta}")

    @abstractmethod
    def shown(self, common: Floats, rare: Floats) -> Floats:
        """The epsilon that events show at this delta, -inf where they show nothing; shapes agree."""

    @abstractmethod
    def bound(self, common: float, rare: float) -> float:
        """The epsilon that one event shows, exactly; 0 where it shows nothing."""

    @abstractmethod
    def repeated(self, times: int) -> "Claim":
        """What it implies of several independent runs together."""


@dataclass(frozen=True)
class Approximate(Claim):
    """P ≤ exp(epsilon) Q + delta for every event, and nothing more."""

    def shown(self, common: Floats, rare: Floats) -> Floats:
        """See `Claim.shown`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log((common - self.delta) / rare)
        found: Floats = np.where((common > self.delta) & ~np.isnan(value), value, -np.inf)
        return found

    def bound(self, common: float, rare: float) -> float:
        """See `Claim.bound`."""
        return max(0.0, float(self.shown(np.array(common), np.array(rare))))

    def repeated(self, times: int) -> "Approximate":
        """See `Claim.repeated`; basic composition."""
        return Approximate(times * self.epsilon, min(times * self.delta, 0.999999))


@dataclass(frozen=True)
class Gaussian(Claim):
    """The trade-off curve of a Gaussian mechanism that is (epsilon, delta)-DP: all of it is tested.

    A curve has power in its middle where its point at a small delta has none (Nasr et al. 2023, f-DP
    audits after Dong, Roth and Su 2022). Only for releases whose noise is said to be Gaussian.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.delta:
            raise ValueError("Gaussian noise is private only up to a delta; say which")

    def shown(self, common: Floats, rare: Floats) -> Floats:
        """See `Claim.shown`; P ≤ Φ(Φ⁻¹(Q) + μ), and μ as an epsilon at delta."""
        with np.errstate(invalid="ignore"):
            shift = special.ndtri(np.clip(common, 0, 1)) - special.ndtri(np.clip(rare, 0, 1))
        shift = np.nan_to_num(shift, nan=0.0, neginf=0.0, posinf=50.0)
        grid = np.concatenate([[0.0], np.geomspace(1e-3, 50, 300)])
        found: Floats = np.interp(np.clip(shift, 0, 50), grid, _epsilons(self.delta))
        return np.where(shift > 0, found, -np.inf)

    def bound(self, common: float, rare: float) -> float:
        """See `Claim.bound`; `shown` interpolates, this does not."""
        shift = float(special.ndtri(common) - special.ndtri(rare))
        return gaussian_epsilon(min(shift, 50.0), self.delta) if shift > 0 else 0.0

    def repeated(self, times: int) -> "Gaussian":
        """See `Claim.repeated`; shifts add up in squares."""
        shift = gaussian_shift(self.epsilon, self.delta) * times**0.5
        return Gaussian(gaussian_epsilon(shift, self.delta), self.delta)


def gaussian_delta(shift: float, epsilon: float) -> float:
    """Delta at epsilon of unit normal noise whose mean moves by `shift` (Balle and Wang 2018, theorem 8)."""
    if shift <= 0:
        return 0.0
    near = special.ndtr(shift / 2 - epsilon / shift)
    far = math.exp(min(700.0, epsilon + float(special.log_ndtr(-shift / 2 - epsilon / shift))))
    return max(0.0, float(near) - far)


def gaussian_epsilon(shift: float, delta: float) -> float:
    """The least epsilon at delta; 0 if even that is more than needed."""
    if gaussian_delta(shift, 0.0) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(shift, high) > delta:
        high *= 2
    return float(optimize.brentq(lambda epsilon: gaussian_delta(shift, epsilon) - delta, 0.0, high))


def gaussian_shift(epsilon: float, delta: float) -> float:
    """The largest shift that is (epsilon, delta)-DP."""
    return float(optimize.brentq(lambda shift: gaussian_delta(shift, epsilon) - delta, 1e-9, 200.0))


@lru_cache
def _epsilons(delta: float) -> Floats:
    """Of the shifts that `Gaussian.shown` interpolates between."""
    return np.array([0.0, *(gaussian_epsilon(float(shift), delta) for shift in np.geomspace(1e-3, 50, 300))])
