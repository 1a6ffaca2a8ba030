"""What features with levels have in common: a count for each level, one of which every record has."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from protocols.validity import Equality, Form, Product, Range
from securenb.schema.cells import Codes
from securenb.schema.feature import Evidence, Feature, Floats, Mask, Query
from securenb.schema.shrinking import level_counts

LEVEL_COUNT = "level count out of range"
LEVELS = "levels do not sum to the class count"
SMALLEST_ROOT = 1e-6
"""The least that the root of a probability is moved to."""


class Levelled(Feature):
    """A feature whose values fall into public levels; modelled by a probability for each, per class."""

    levels: tuple[str, ...]

    @property
    def size(self) -> int:
        """See `Feature.size`."""
        return len(self.levels)

    @property
    def queries(self) -> tuple[Query, ...]:
        """See `Feature.queries`."""
        return (Query("levels", self.size, 1, 1, partition=True),)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """See `Feature.coordinates`."""
        return tuple(f"{self.name}={level}" for level in self.levels)

    def added(self, codes: Codes) -> Integers:
        """See `Feature.added`."""
        table: Integers = (codes[:, None] == np.arange(self.size)).astype(np.int64)
        return table

    def tabulate(self, codes: Codes, labels: NDArray[np.int64], classes: int) -> Integers:
        """See `Feature.tabulate`."""
        cells = np.bincount(labels * self.size + codes, minlength=classes * self.size)
        return cells.reshape(classes, self.size)

    def estimate(self, sums: Floats, counts: Floats, smoothing: float) -> tuple[Floats, Mask]:
        """Probabilities with additive smoothing of the levels' counts, negative ones read as zero."""
        seen = np.maximum(sums, 0.0)
        smoothed = seen + smoothing
        known = (counts >= 1.0) & (seen.sum(axis=-1) >= 1.0)
        return smoothed / smoothed.sum(axis=-1, keepdims=True), np.broadcast_to(known[..., None], sums.shape)

    def shrunk(self, sums: Floats, counts: Floats, noise: Floats) -> Floats:
        """See `Feature.shrunk`."""
        return level_counts(sums, counts, noise)

    def normalised(self, parameters: Floats) -> Floats:
        """See `Feature.normalised`: probabilities that add to one."""
        shares: Floats = parameters / parameters.sum(axis=-1, keepdims=True)
        return shares

    def closest(self, average: Floats) -> NDArray[np.int64]:
        """See `Feature.closest`: the most frequent level, the first on ties."""
        level: NDArray[np.int64] = np.argmax(average, axis=-1)
        return level

    def draw(self, parameters: Floats, count: int, rng: np.random.Generator) -> Codes:
        """See `Feature.draw`."""
        return rng.choice(self.size, count, p=parameters / parameters.sum()).astype(np.int32)

    def log_density(self, parameters: Floats, codes: Codes) -> Floats:
        """See `Feature.log_density`: the log probability of the level."""
        logs = np.log(parameters)
        if logs.ndim == codes.ndim == 2 and codes.shape[1] == 1:
            many: Floats = logs.T[codes[:, 0]]  # points under one model: several times faster
            return many
        shape = np.broadcast_shapes(logs.shape[:-1], codes.shape)
        every = np.broadcast_to(logs, (*shape, self.size))
        at = np.broadcast_to(codes, shape)[..., None]
        found: Floats = np.take_along_axis(every, at, axis=-1)[..., 0]
        return found

    def evidence(self, codes: Codes) -> Evidence:
        """See `Feature.evidence`."""

        def weights(parameters: Floats) -> tuple[Floats, Floats]:
            return np.log(parameters), np.zeros(parameters.shape[:-1])

        return Evidence((codes == np.arange(self.size)[:, None]).astype(np.float64), weights)

    def describe(self, parameters: Floats) -> list[str]:
        """See `Feature.describe`: the likeliest level and its probability."""
        best = parameters.argmax(axis=-1)
        return [f"{self.levels[at]} ({row[at]:.2f})" for at, row in zip(best, parameters, strict=True)]

    def points(self, parameters: Floats) -> Floats:
        """See `Feature.points`: square roots, whose distance is √2 times Hellinger's."""
        roots: Floats = np.sqrt(parameters)
        return roots

    def parameters_at(self, points: Floats) -> Floats:
        """See `Feature.parameters_at`."""
        return points**2

    def invariants(self, count: int, start: int, cap: int) -> Sequence[Range | Equality | Product]:
        """See `Feature.invariants`: no count is negative, and they sum to the class count."""
        columns = range(start, start + self.size)
        total = (*((column, 1) for column in columns), (count, -1))
        ranges = [Range(LEVEL_COUNT, Form(((column, 1),)), cap) for column in columns]
        return [*ranges, Equality(LEVELS, Form(total))]

    def nearest_valid(self, sums: Floats, claimed: Floats, counts: Integers) -> Integers:
        """See `Feature.nearest_valid`: the class count, apportioned."""
        return apportion(np.maximum(sums, 0.0), counts)

    def sums_of(self, parameters: Floats, counts: Floats, smoothing: float) -> Floats:
        """See `Feature.sums_of`."""
        sums: Floats = (counts[:, None] + smoothing * self.size) * parameters - smoothing
        return sums

    def legal(self, points: Floats) -> Floats:
        """See `Feature.legal`."""
        return np.maximum(points, SMALLEST_ROOT)

    def product(self, parameters: Sequence[Floats], powers: Sequence[float]) -> tuple[Floats, Floats]:
        """See `Feature.product`."""
        terms = [power * np.log(table) for power, table in zip(powers, parameters, strict=True)]
        level = np.sum(terms, axis=0)
        mass = np.log(np.exp(level).sum(axis=1))
        return np.exp(level - mass[:, None]), mass


def apportion(weights: Floats, total: Integers | int) -> Integers:
    """Integers proportional to `weights` that sum to `total`; largest remainders first, then the first.

    Parameters
    ----------
    weights
        Shape (..., k), not negative; where all are zero, equal ones are taken.
    total
        Shape (...).
    """
    total = np.asarray(total)[..., None]
    sums = weights.sum(axis=-1, keepdims=True)
    ideal = total * np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), 1.0 / weights.shape[-1])
    result: Integers = np.floor(ideal).astype(np.int64)
    missing = total - result.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(result - ideal, axis=-1, kind="stable"), axis=-1, kind="stable")
    result += rank < missing
    return result
