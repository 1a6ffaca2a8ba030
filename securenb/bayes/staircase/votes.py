"""Votes of one class: projected, trimmed, and read as the rate whose honest votes they would be."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from securenb.bayes.parameters import Floats

POINTS = 200
"""Rates at which the curve is tabulated; between them it is a line."""


def projected(votes: Floats, widths: Floats) -> Floats:
    """The closest votes that do not rise from column to column, weighted least squares with weights widths².

    P(S)_k = min_{a ≤ k} max_{e ≥ k} Av_{a..e}(S) (Robertson, Wright and Dykstra 1988, theorem 1.4.4): it does
    not fall when a column rises, which the box theorem uses.

    Parameters
    ----------
    votes
        Shape (..., J).
    widths
        Shape (J,), positive.
    """
    count = len(widths)
    weights = widths**2
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    sums = np.concatenate([np.zeros((*votes.shape[:-1], 1)), np.cumsum(votes * weights, axis=-1)], axis=-1)
    # highest[..., a, k] is the largest average of a..e over e ≥ k
    highest = np.full((*votes.shape[:-1], count, count), np.inf)
    for start in range(count):
        averages = (sums[..., start + 1 :] - sums[..., start : start + 1]) / (mass[start + 1 :] - mass[start])
        highest[..., start, start:] = np.maximum.accumulate(averages[..., ::-1], axis=-1)[..., ::-1]
    lowest: Floats = highest.min(axis=-2)
    return lowest


@dataclass(frozen=True, eq=False)
class Votes:
    """What votes on one class's thresholds mean.

    Parameters
    ----------
    thresholds
        Shape (J + 1,), from 0 to the quota; steps of nothing are left out.
    trim
        b: the lower and the upper share of the nodes that say nothing, in [0, ½). 0 reads the plain sum, b
        near ½ the median.
    """

    thresholds: tuple[int, ...]
    trim: float

    def __post_init__(self) -> None:
        if not 0 <= self.trim < 0.5:
            raise ValueError(f"the trimmed share lies in [0, 0.5), got {self.trim}")

    @cached_property
    def widths(self) -> Floats:
        """Shape (J,): the steps, as numbers."""
        return np.diff(np.array(self.thresholds, dtype=np.float64))

    @cached_property
    def rates(self) -> Floats:
        """The rates that the curve is tabulated at, increasing, shape (POINTS,)."""
        quota = self.thresholds[-1]
        low = min(0.003 / quota, 0.5)
        return np.concatenate([[1e-6], np.geomspace(low, 0.9995, POINTS - 1)])

    @cached_property
    def honest(self) -> Floats:
        """M_j(p) = E clip(Binomial(quota, p) − t_{j−1}, 0, w_j) / w_j for each rate, shape (POINTS, J)."""
        from scipy.stats import binom  # takes a second, which most commands can do without

        quota = self.thresholds[-1]
        counts = np.arange(quota + 1)
        low = np.array(self.thresholds[:-1])
        increments = np.clip(counts[:, None] - low, 0, self.widths)
        chances = np.asarray(binom.pmf(counts[None], quota, self.rates[:, None]))
        found: Floats = chances @ increments / self.widths
        return found

    @cached_property
    def curve(self) -> Floats:
        """T at each rate, strictly increasing by a term too small to matter, shape (POINTS,)."""
        means = np.maximum.accumulate(self.trimmed(self.honest))
        found: Floats = means + 1e-12 * np.arange(POINTS)
        return found

    @property
    def first(self) -> float:
        """p*: the rate at which the honest votes on the first threshold leave the trimmed share."""
        at = int(np.searchsorted(self.honest[:, 0], max(self.trim, 1e-3)))
        return float(self.rates[min(at, POINTS - 1)])

    def trimmed(self, votes: Floats) -> Floats:
        """T(S) = Σ_j v_j clip((S_j − b) / (1 − 2b), 0, 1), v_j ∝ w_j, of projected votes (..., J)."""
        kept = np.clip((votes - self.trim) / (1 - 2 * self.trim), 0.0, 1.0)
        mean: Floats = kept @ (self.widths / self.widths.sum())
        return mean

    def rate(self, votes: Floats) -> Floats:
        """p̂(S) of raw votes (..., J), in [0, 1]; it does not fall when a column rises."""
        found: Floats = np.interp(self.trimmed(projected(votes, self.widths)), self.curve, self.rates)
        return found
