"""Distributions that integer noise follows: how to draw from them, and what they hide when shifted.

A query that a person moves by at most `shift` is answered with noise from one of these. All of them are
symmetric around zero, so adding and removing a record cost the same. The sums of doses are log-concave, so
a smaller shift never costs more; a Pólya share of less than a dose is not, but falls from zero, which
suffices (`Polya.pure`).
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from protocols.ring import Integers
from securenb.privacy.samplers import Noise

Floats = NDArray[np.float64]

WINDOW = 1 << 23
"""The most probabilities that `losses` tabulates."""

SLACK = 1e-9
"""What floating-point privacy bounds are enlarged by, relatively."""


@dataclass(frozen=True)
class Losses:
    """The privacy loss of one shifted query: values, and the probability of each.

    Attributes
    ----------
    values, masses
        Shape (n,): log P(k)/Q(k) and P(k), where Q is P shifted.
    beyond
        Probability that is not tabulated; to be counted as an infinite loss.
    """

    values: Floats
    masses: Floats
    beyond: float = 0.0


class Distribution(ABC):
    """Integer noise on one coordinate."""

    @abstractmethod
    def draw(self, noise: Noise, size: int) -> Integers:
        """Independent draws, shape (size,), int64."""

    @abstractmethod
    def repeated(self, count: int) -> "Distribution":
        """The law of the sum of `count` independent draws."""

    @abstractmethod
    def pure(self, shift: int) -> Fraction | None:
        """The largest privacy loss of a shift, which is pure epsilon; `None` if it has no bound."""

    @abstractmethod
    def renyi(self, orders: Integers, shift: int) -> Floats:
        """An upper bound on the Rényi divergence of each integer order > 1, shape of `orders`."""

    @abstractmethod
    def losses(self, shift: int) -> Losses | None:
        """The privacy-loss distribution; `None` where it would be too large to tabulate."""

    @abstractmethod
    def spread(self) -> float:
        """The variance, or an upper bound on it."""

    @abstractmethod
    def tail(self, log_failure: float) -> int:
        """What |k| exceeds with probability at most exp(-log_failure)."""


@dataclass(frozen=True)
class Polya(Distribution):
    """The difference of two negative binomials with r = `doses`, α = exp(-1/scale).

    One dose is the discrete Laplace distribution P(k) ∝ exp(-|k| / scale).
    """

    scale: Fraction
    doses: Fraction = Fraction(1)

    def draw(self, noise: Noise, size: int) -> Integers:
        """See `Distribution.draw`."""
        return noise.polya(self.scale, self.doses, size)

    def repeated(self, count: int) -> "Polya":
        """See `Distribution.repeated`."""
        return Polya(self.scale, self.doses * count)

    def pure(self, shift: int) -> Fraction:
        """See `Distribution.pure`; exact from one dose on, else log P(0)/P(shift), rounded up.

        For r < 1 a negative binomial is a mixture of geometrics, so P(k), k ≥ 0, is a mixture of x^k and
        log-convex: the ratio P(k)/P(k + shift) is largest at k = 0. Above one dose the surplus is
        independent noise, which is post-processing.
        """
        if self.doses >= 1:
            return shift / self.scale
        return _polya_pure(self.scale, self.doses, shift)

    def renyi(self, orders: Integers, shift: int) -> Floats:
        """See `Distribution.renyi`; from pure epsilon (Bun and Steinke 2016, proposition 3.3)."""
        pure = float(self.pure(shift))
        return np.minimum(pure, orders * pure**2 / 2)

    def losses(self, shift: int) -> Losses | None:
        """See `Distribution.losses`; at any scale, because the loss only varies between 0 and `shift`."""
        if self.doses < 1 or shift > WINDOW:
            return None
        step = 1 / float(self.scale)
        alpha = math.exp(-step)
        middle = np.arange(1, shift)
        values = np.concatenate([[shift], shift - 2.0 * middle, [-shift]]) * step
        log_none = math.log(-math.expm1(-step)) - math.log1p(alpha)
        ends = [1 / (1 + alpha), math.exp(-shift * step) / (1 + alpha)]
        masses = np.concatenate([ends[:1], np.exp(log_none - middle * step), ends[1:]])
        return Losses(values, masses)

    def spread(self) -> float:
        """See `Distribution.spread`."""
        return float(self.doses) / 2 / math.sinh(0.5 / float(self.scale)) ** 2

    def tail(self, log_failure: float) -> int:
        """See `Distribution.tail`; a Chernoff bound on each negative binomial."""
        scale, failure = float(self.scale), log_failure + math.log(2)
        log_none = math.log(-math.expm1(-1 / scale))
        tilts = np.linspace(0.01, 0.99, 99)
        log_moments = float(self.doses) * (log_none - np.log(-np.expm1((tilts - 1) / scale)))
        return math.ceil(float(np.min((log_moments + failure) * scale / tilts)))


@dataclass(frozen=True)
class Skellam(Distribution):
    """The difference of two Poisson variables; `variance` is that of the difference."""

    variance: Fraction

    def draw(self, noise: Noise, size: int) -> Integers:
        """See `Distribution.draw`."""
        return noise.skellam(self.variance, size)

    def repeated(self, count: int) -> "Skellam":
        """See `Distribution.repeated`."""
        return Skellam(self.variance * count)

    def pure(self, shift: int) -> None:
        """Its tails fall faster than any exponential: no bound."""

    def renyi(self, orders: Integers, shift: int) -> Floats:
        """See `Distribution.renyi`; Agarwal, Kairouz and Liu (2021), theorem 3.5, in one dimension."""
        variance = float(self.variance)
        square, a = float(shift) ** 2, orders.astype(np.float64)
        excess = np.minimum(
            ((2 * a - 1) * square + 6 * shift) / (4 * variance**2), 3 * shift / (2 * variance)
        )
        return a * square / (2 * variance) + excess

    def losses(self, shift: int) -> Losses | None:
        """See `Distribution.losses`."""
        variance, reach = float(self.variance), self.tail(70.0)
        if 2 * reach + shift > WINDOW or variance > 1e9:  # Bessel functions lose their accuracy
            return None
        k = np.arange(-reach - shift, reach + 1, dtype=np.float64)
        with np.errstate(divide="ignore"):
            log_pmf = np.log(special.ive(np.abs(k), variance))
        return _tabulated(log_pmf, shift)

    def spread(self) -> float:
        """See `Distribution.spread`."""
        return float(self.variance)

    def tail(self, log_failure: float) -> int:
        """See `Distribution.tail`; a Chernoff bound with log E exp(sX) = variance · (cosh(s) - 1)."""
        variance, failure = float(self.variance), log_failure + math.log(2)
        s = math.asinh(math.sqrt(2 * failure / variance))
        return math.ceil((variance * 2 * math.sinh(s / 2) ** 2 + failure) / s)


@dataclass(frozen=True)
class DiscreteGaussian(Distribution):
    """The sum of `terms` discrete Gaussians, P(k) ∝ exp(-k²/2v) each, with v = variance / terms."""

    variance: Fraction
    terms: int = 1

    def draw(self, noise: Noise, size: int) -> Integers:
        """See `Distribution.draw`."""
        terms = noise.gaussian(self.variance / self.terms, self.terms * size).reshape(-1, size)
        total: Integers = terms.sum(axis=0)
        return total

    def repeated(self, count: int) -> "DiscreteGaussian":
        """See `Distribution.repeated`."""
        return DiscreteGaussian(self.variance * count, self.terms * count)

    def pure(self, shift: int) -> None:
        """Its tails fall faster than any exponential: no bound."""

    @property
    def gap(self) -> float:
        """How far the log-probabilities are from those of one discrete Gaussian of that variance, at most.

        Kairouz, Liu and Steinke (2021), theorem 9 with equal variances; infinite where it does not apply.
        """
        each = float(self.variance) / self.terms
        if self.terms > 1 and each < 0.25:
            return math.inf
        k = np.arange(1, self.terms)
        return float(10 * np.exp(-2 * np.pi**2 * each * k / (k + 1)).sum())

    def renyi(self, orders: Integers, shift: int) -> Floats:
        """See `Distribution.renyi`; Canonne, Kamath and Steinke (2020), theorem 5; the gap counts twice."""
        a = orders.astype(np.float64)
        return a * float(shift) ** 2 / (2 * float(self.variance)) + self.gap * (2 * a - 1) / (a - 1)

    def losses(self, shift: int) -> Losses | None:
        """See `Distribution.losses`; of one term only."""
        reach = self.tail(70.0)
        if self.terms > 1 or 2 * reach + shift > WINDOW:
            return None
        k = np.arange(-reach - shift, reach + 1, dtype=np.float64)
        exponents = -(k**2) / (2 * float(self.variance))
        return _tabulated(exponents - math.log(math.fsum(np.exp(exponents))), shift)

    def spread(self) -> float:
        """See `Distribution.spread`; a discrete Gaussian's is at most its parameter (CKS20, corollary 9)."""
        return float(self.variance)

    def tail(self, log_failure: float) -> int:
        """See `Distribution.tail`; it is sub-Gaussian with its variance parameter (CKS20, lemma 24)."""
        return math.ceil(math.sqrt(2 * float(self.variance) * (log_failure + math.log(2))))


@lru_cache(maxsize=1 << 12)
def _polya_pure(scale: Fraction, doses: Fraction, shift: int) -> Fraction:
    """The log of P(0)/P(shift), for less than a dose."""
    r, decay = float(doses), -1 / float(scale)

    def log_weight(j: Floats) -> Floats:
        """Of one negative binomial, up to a constant."""
        falling: Floats = special.gammaln(j + r) - special.gammaln(j + 1) + j * decay
        return falling

    # P(shift) = Σ_j w(j) w(j + shift) falls in j, so the last term of each run bounds it from below
    ends = _runs(45 * float(scale))
    terms = log_weight(ends[1:]) + log_weight(ends[1:] + shift)
    log_far = special.logsumexp(terms, b=np.diff(ends))
    log_near = math.log(special.hyp2f1(r, r, 1, math.exp(2 * decay))) + 2 * special.gammaln(r)
    return Fraction((log_near - log_far) * (1 + SLACK))


def _runs(end: float) -> Floats:
    """-1, 0, 1, …, then integers that grow by less than 1 in 2 000, up to `end`: the last of each run."""
    dense = np.arange(-1.0, 4096.0)
    count = math.ceil(max(0.0, math.log(end / 4096)) / math.log1p(1 / 2000))
    return np.concatenate([dense, np.floor(4095 * (1 + 1 / 2000) ** np.arange(1.0, count + 1))])


def _tabulated(log_pmf: Floats, shift: int) -> Losses:
    """Losses of a shift, from log-probabilities of -reach - shift … reach."""
    here, shifted = log_pmf[shift:], log_pmf[: len(log_pmf) - shift]
    held = np.isfinite(here) & np.isfinite(shifted)
    masses = np.exp(here[held])
    return Losses(here[held] - shifted[held], masses, max(0.0, 1 - math.fsum(masses)))
