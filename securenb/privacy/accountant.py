"""What answers to several queries cost together: exact pure epsilon, or epsilon up to a delta.

Two ways to the latter, both upper bounds: privacy-loss distributions (Meiser and Mohammadi 2018; Koskela,
Jälkö and Honkela 2020), which are tight, where each can be tabulated; Rényi divergences everywhere else.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import fft

from protocols.ring import Integers
from securenb.privacy.distributions import SLACK, Distribution, Floats

ORDERS: Integers = np.unique(np.geomspace(2, 1 << 20, 400).astype(np.int64))
"""Rényi orders that are tried."""

BINS = 1 << 16
"""Resolution of a privacy-loss distribution: bins in twenty standard deviations of the total loss."""

FLOOR = 1e-11
"""The error of a Fourier transform's masses, added to every delta."""

RESOLUTION = 1 << 16
"""Calibrated noise is a multiple of 1 / RESOLUTION."""


@dataclass(frozen=True)
class Query:
    """`times` coordinates that one change shifts by `shift`, each with noise from `distribution`."""

    distribution: Distribution
    shift: int
    times: int = 1


Queries = Sequence[Query]
"""All coordinates that one change moves: they compose, whatever the order."""


def pure_epsilon(queries: Queries) -> Fraction | None:
    """The sum of the largest losses, exact; `None` if one has no bound."""
    total = Fraction(0)
    for query in queries:
        pure = query.distribution.pure(query.shift)
        if pure is None:
            return None
        total += query.times * pure
    return total


def renyi_epsilon(queries: Queries, delta: float) -> float:
    """Epsilon at `delta` from Rényi divergences, which add up."""
    total = np.zeros(len(ORDERS))
    for query in queries:
        total += query.times * query.distribution.renyi(ORDERS, query.shift)
    return float(converted(total, ORDERS, delta).min())


def converted(divergences: Floats, orders: Integers, delta: float | Floats) -> Floats:
    """Epsilon at `delta` from a Rényi divergence of each order, shape of `orders`.

    Canonne, Kamath and Steinke (2020), proposition 12.
    """
    a = orders.astype(np.float64)
    epsilons = divergences + (-np.log(delta) + (a - 1) * np.log1p(-1 / a) - np.log(a)) / (a - 1)
    bounds: Floats = np.maximum(epsilons, 0.0) * (1 + SLACK)
    return bounds


def loss_epsilon(queries: Queries, delta: float) -> float | None:
    """Epsilon at `delta` from privacy-loss distributions; `None` where one cannot be tabulated."""
    composed = _composed(queries)
    if composed is None:
        return None
    losses, masses, beyond = composed
    if delta <= beyond:
        return None
    # delta(e) = beyond + Σ_{l > e} mass (1 - exp(e - l)), from the largest loss down
    above = np.cumsum(masses[::-1])[::-1]
    weighted = np.cumsum((masses * np.exp(-losses))[::-1])[::-1]
    deltas = beyond + above - np.exp(losses) * weighted
    first = int(np.argmax(deltas <= delta))
    if first == 0:
        return max(0.0, float(losses[0]))
    # between two bins only the bins from `first` on count
    exponent = (beyond + above[first] - delta) / weighted[first]
    return max(0.0, math.log(exponent)) if exponent > 0 else 0.0


def loss_delta(queries: Queries, epsilon: float) -> float | None:
    """Delta at `epsilon` from privacy-loss distributions; `None` where one cannot be tabulated."""
    composed = _composed(queries)
    if composed is None:
        return None
    losses, masses, beyond = composed
    above = losses > epsilon
    return min(1.0, beyond + float(masses[above] @ -np.expm1(epsilon - losses[above])))


def least_epsilon(queries: Queries, delta: float) -> float:
    """The least epsilon at `delta` > 0 that any of the bounds gives."""
    bounds = [renyi_epsilon(queries, delta), loss_epsilon(queries, delta), pure_epsilon(queries)]
    return min(float(bound) for bound in bounds if bound is not None)


def worst(queries: Sequence[Queries], delta: float) -> Fraction | None:
    """Epsilon of the costliest of several changes: exact for `delta` 0, else from Rényi divergences.

    `None` if nothing bounds it.
    """
    if delta == 0:
        pures = [pure_epsilon(case) for case in queries]
        return (
            None if any(pure is None for pure in pures) else max(pure for pure in pures if pure is not None)
        )
    largest = max(renyi_epsilon(case, delta) for case in queries)
    return Fraction(largest) if math.isfinite(largest) else None


def calibrated(epsilon: float, cost: Callable[[Fraction], float]) -> Fraction:
    """The least amount of noise that costs at most `epsilon`, to 1 part in 4 000.

    Parameters
    ----------
    cost
        Epsilon of an amount of noise; falls as noise grows.
    """
    high = RESOLUTION
    while cost(Fraction(high, RESOLUTION)) > epsilon:
        high *= 2
        if high > RESOLUTION << 60:
            raise ValueError(f"no amount of noise brings epsilon down to {epsilon:g}")
    low = 0
    while high - low > max(1, high >> 12):
        middle = (low + high) // 2
        if middle and cost(Fraction(middle, RESOLUTION)) <= epsilon:
            high = middle
        else:
            low = middle
    return Fraction(high, RESOLUTION)


def _composed(queries: Queries) -> tuple[Floats, Floats, float] | None:
    """Losses, increasing; their masses; and the mass of infinite loss. Losses are rounded up to a grid."""
    single = []
    for query in queries:
        losses = query.distribution.losses(query.shift)
        if losses is None:
            return None
        single.append((losses, query.times))
    spread = math.sqrt(sum(times * float((f.masses * f.values**2).sum()) for f, times in single))
    step = 20 * spread / BINS / math.sqrt(sum(times for _, times in single))
    low = high = 0
    binned = []
    for losses, times in single:
        at = np.ceil(losses.values / step - 1e-9).astype(np.int64)
        start = int(at.min())
        binned.append((np.bincount(at - start, weights=losses.masses), start, times, losses.beyond))
        low, high = low + start * times, high + int(at.max()) * times
    size = fft.next_fast_len(high - low + 1, real=True)
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    beyond = FLOOR
    for masses, _, times, lost in binned:
        product *= fft.rfft(masses, size) ** times
        beyond += times * lost
    composed: Floats = np.maximum(fft.irfft(product, size)[: high - low + 1], 0.0)
    values: Floats = np.arange(low, high + 1, dtype=np.float64) * float(step)
    return values, composed, beyond
