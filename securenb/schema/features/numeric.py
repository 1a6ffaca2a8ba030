"""A number on a public grid, as a Gaussian."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.canonical import Canonical
from protocols.ring import Integers
from protocols.validity import Equality, Form, Product, Range
from securenb.schema.cells import Codes, Column, blank, numbers
from securenb.schema.checks import check_bounds, check_edges, check_text
from securenb.schema.feature import Evidence, Feature, Floats, Mask, Query
from securenb.schema.features.binned import Binned, MissingNumber, check_missing, place
from securenb.schema.jumps import jumps
from securenb.schema.records import UNKNOWN
from securenb.schema.shrinking import gaussian_sums

SUM = "sum out of range"
SQUARES = "squares out of range"
VARIANCE = "negative variance"

GRID_VARIANCE = 1 / 12
"""Variance, in squared grid steps, of a value known only to the nearest grid point (Sheppard)."""


@dataclass(frozen=True)
class Numeric(Feature):
    """A number between public bounds, on a public grid; modelled by a Gaussian per class.

    Values are clipped to the bounds and rounded to the nearest of `steps` + 1 grid points at the node,
    so that sums and sums of squares are integers. Parameters are mean and variance, in grid steps around
    `offset`.

    Parameters
    ----------
    name
        The column.
    lower, upper
        Public bounds, in the column's unit.
    steps
        Grid intervals between the bounds; even, at most 65,536.
    edges
        Public bin edges, increasing, for the histogram mode (`Schema.histogram`).
    centred
        Whether sums are taken around the middle of the bounds, which halves their sensitivity.
    missing
        The public number within the bounds that a missing one becomes: a record without it moves the sums no
        further than any other. `LEVEL` gives the histogram one more count, and a Gaussian has no use for it.
    """

    name: str
    lower: float
    upper: float
    steps: int = 64
    edges: tuple[float, ...] | None = None
    centred: bool = True
    missing: MissingNumber = None

    def __post_init__(self) -> None:
        check_text("a feature's name", self.name)
        plain = check_bounds(self.name, self.lower, self.upper, self.steps)
        for field, value in zip(("lower", "upper", "steps"), plain, strict=True):
            object.__setattr__(self, field, value)
        if not isinstance(self.centred, bool):
            raise ValueError(f"{self.name}: centred must be True or False, got {self.centred!r}")  # noqa: TRY004 - a caller's mistake
        if self.edges is not None:
            object.__setattr__(self, "edges", check_edges(self.name, self.edges))
        object.__setattr__(self, "missing", check_missing(self.name, self.missing))
        if isinstance(self.missing, str):
            if self.edges is None:
                raise ValueError(f"{self.name}: a level for missing numbers needs edges, for the histogram")
        elif self.missing is not None and not self.lower <= self.missing <= self.upper:
            raise ValueError(f"{self.name}: a missing number becomes {self.missing}, outside the bounds")

    @property
    def step(self) -> float:
        """Width of a grid interval, in the column's unit."""
        return (self.upper - self.lower) / self.steps

    @property
    def offset(self) -> int:
        """The grid point that sums are taken around."""
        return self.steps // 2 if self.centred else 0

    @property
    def square_offset(self) -> int:
        """What is subtracted from each square, so that squares too are centred on their range."""
        return self.offset**2 // 2

    @property
    def reach(self) -> int:
        """How far one record can move the sum."""
        return self.steps - self.offset

    @property
    def square_reach(self) -> int:
        """How far one record can move the sum of squares."""
        return self.reach**2 - self.square_offset

    @property
    def size(self) -> int:
        """See `Feature.size`: the grid points."""
        return self.steps + 1

    @property
    def bounds(self) -> tuple[float, float]:
        """See `Feature.bounds`."""
        return self.lower, self.upper

    def encode(self, column: Column) -> Codes:
        """Grid points 0 … `steps`, shape (n,); `UNKNOWN` where the value is missing or no finite number."""
        found = numbers(column)
        lacking = np.isnan(found)
        if self.missing is not None and not isinstance(self.missing, str) and lacking.any():
            found[blank(column)] = self.missing
            lacking = np.isnan(found)
        grid = np.rint((np.clip(found, self.lower, self.upper) - self.lower) / self.step)
        return np.where(lacking, UNKNOWN, grid).astype(np.int32)

    def decode(self, codes: Codes) -> list[object]:
        """See `Feature.decode`."""
        return [self.lower + code * self.step for code in codes.tolist()]

    def canonical(self) -> list[Canonical]:
        """See `Feature.canonical`; the edges matter to the histogram alone."""
        bounds: list[Canonical] = [float(self.lower).hex(), float(self.upper).hex()]
        return ["numeric", self.name, bounds, self.steps, int(self.centred), *place(self.missing)]

    def histogram(self) -> Binned:
        """See `Feature.histogram`."""
        if self.edges is None:
            raise ValueError(f"{self.name} has no public edges, so it cannot be a histogram")
        return Binned(self.name, self.edges, self.missing)

    @property
    def queries(self) -> tuple[Query, ...]:
        """See `Feature.queries`."""
        return (
            Query("sum", 1, self.reach, self.steps),
            Query("squares", 1, self.square_reach, self.reach**2),
        )

    @property
    def replaced(self) -> tuple[tuple[int, ...], ...]:
        """See `Feature.replaced`: far in the sum or far in the squares, not both."""
        return tuple(jumps(-self.offset, self.steps - self.offset))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """See `Feature.coordinates`."""
        return f"sum of {self.name}", f"squares of {self.name}"

    def added(self, codes: Codes) -> Integers:
        """See `Feature.added`: the value and its square, both around their offsets."""
        values = codes.astype(np.int64) - self.offset
        return np.stack([values, values**2 - self.square_offset], axis=-1)

    def estimate(self, sums: Floats, counts: Floats, smoothing: float) -> tuple[Floats, Mask]:
        """Mean and variance, or those of a uniform distribution over the bounds where no record is.

        Means are clamped to the bounds; variances to between `GRID_VARIANCE` and a quarter of the squared
        range, the largest variance that bounded values can have (Popoviciu 1935).
        """
        seen, safe = counts >= 1.0, np.maximum(counts, 1.0)
        low, high = -self.offset, self.steps - self.offset
        mean = np.clip(sums[..., 0] / safe, low, high)
        square = sums[..., 1] / safe + self.square_offset
        variance = np.clip(square - mean**2, GRID_VARIANCE, self.steps**2 / 4)
        found = [np.where(seen, mean, (low + high) / 2), np.where(seen, variance, self.steps**2 / 12)]
        return np.stack(found, axis=-1), np.broadcast_to(seen[..., None], sums.shape)

    def shrunk(self, sums: Floats, counts: Floats, noise: Floats) -> Floats:
        """See `Feature.shrunk`."""
        bounds = {"low": -self.offset, "steps": self.steps, "square_offset": self.square_offset}
        return gaussian_sums(sums, counts, noise, **bounds, least=GRID_VARIANCE)

    def closest(self, average: Floats) -> NDArray[np.int64]:
        """See `Feature.closest`: the grid point nearest to the mean."""
        point = np.rint(average[..., 0]).astype(np.int64) + self.offset
        return np.clip(point, 0, self.steps)

    def draw(self, parameters: Floats, count: int, rng: np.random.Generator) -> Codes:
        """See `Feature.draw`: rounded to the grid and clipped to the bounds."""
        values = rng.normal(parameters[0], np.sqrt(parameters[1]), count) + self.offset
        return np.clip(np.rint(values), 0, self.steps).astype(np.int32)

    def log_density(self, parameters: Floats, codes: Codes) -> Floats:
        """See `Feature.log_density`."""
        mean, variance = parameters[..., 0], parameters[..., 1]
        values = codes.astype(np.float64) - self.offset
        density: Floats = -0.5 * (np.log(2 * np.pi * variance) + (values - mean) ** 2 / variance)
        return density

    def evidence(self, codes: Codes) -> Evidence:
        """See `Feature.evidence`: linear in the value and its square."""
        return gaussian_evidence(codes.astype(np.float64) - self.offset)

    def describe(self, parameters: Floats) -> list[str]:
        """See `Feature.describe`: mean and deviation, in the column's unit."""
        means = self.lower + self.step * (parameters[:, 0] + self.offset)
        deviations = self.step * np.sqrt(parameters[:, 1])
        return [f"{mean:.4g} ± {more:.2g}" for mean, more in zip(means, deviations, strict=True)]

    def points(self, parameters: Floats) -> Floats:
        """See `Feature.points`: mean and standard deviation as shares of the range."""
        return np.stack([parameters[..., 0] / self.steps, np.sqrt(parameters[..., 1]) / self.steps], axis=-1)

    def parameters_at(self, points: Floats) -> Floats:
        """See `Feature.parameters_at`."""
        return np.stack([points[..., 0] * self.steps, points[..., 1] ** 2 * self.steps**2], axis=-1)

    def invariants(self, count: int, start: int, cap: int) -> Sequence[Range | Equality | Product]:
        """See `Feature.invariants`: those of `securenb.schema.invariants`."""
        top, offset = self.steps, self.offset
        # with c the centred sum and d the centred sum of squares: s = c + offset · n and
        # q = d + 2 · offset · c + (offset² + square_offset) · n
        n = {count: 1}
        s = {count: offset, start: 1}
        q = {count: offset**2 + self.square_offset, start: 2 * offset, start + 1: 1}

        def form(*parts: tuple[int, dict[int, int]]) -> Form:
            total: dict[int, int] = {}
            for factor, part in parts:
                for at, coefficient in part.items():
                    total[at] = total.get(at, 0) + factor * coefficient
            return Form(tuple((at, coefficient) for at, coefficient in total.items() if coefficient))

        return [
            Range(SUM, form((top, n), (-1, s)), top * cap),
            Range(SQUARES, form((1, q), (-1, s)), top * (top - 1) * cap),
            Range(SQUARES, form((top, s), (-1, q)), top**2 // 4 * cap),
            Product(VARIANCE, form((1, n)), form((1, q)), form((1, s)), (cap * top) ** 2 // 4),
        ]

    def nearest_valid(self, sums: Floats, claimed: Floats, counts: Integers) -> Integers:
        """See `Feature.nearest_valid`: values that some records could have, up to rounding."""
        top, offset = self.steps, self.offset
        result = np.zeros(sums.shape, dtype=np.int64)
        for row, count in enumerate(counts.tolist()):
            if not count:
                continue
            scale = count / max(claimed[row], 1.0)
            s = int(np.clip(round(sums[row, 0] * scale) + offset * count, 0, top * count))
            q = round(sums[row, 1] * scale) + 2 * offset * (s - offset * count)
            q += (offset**2 + self.square_offset) * count
            # s² ≤ n·q, and s ≤ q ≤ Q·s as for integers between 0 and Q
            q = min(max(q, s, -(-s * s // count)), top * s)
            c = s - offset * count
            result[row] = c, q - 2 * offset * c - (offset**2 + self.square_offset) * count
        return result

    def sums_of(self, parameters: Floats, counts: Floats, smoothing: float) -> Floats:
        """See `Feature.sums_of`."""
        mean, variance = parameters[:, 0], parameters[:, 1]
        return np.stack([counts * mean, counts * (variance + mean**2 - self.square_offset)], axis=-1)

    def legal(self, points: Floats) -> Floats:
        """See `Feature.legal`."""
        offset = self.offset / self.steps
        return np.stack(
            [np.clip(points[..., 0], -offset, 1 - offset), np.maximum(points[..., 1], 0.0)], axis=-1
        )

    def product(self, parameters: Sequence[Floats], powers: Sequence[float]) -> tuple[Floats, Floats]:
        """See `Feature.product`: a Gaussian again."""
        means, variances = (np.array([table[:, at] for table in parameters]) for at in (0, 1))
        weights = np.array(powers)[:, None]
        share = weights / variances
        variance = 1 / share.sum(axis=0)
        mean = variance * (share * means).sum(axis=0)
        scale = (weights * np.log(2 * np.pi * variances)).sum(axis=0)
        spread = (share * means**2).sum(axis=0) - mean**2 / variance
        mass = -0.5 * (scale + spread) + 0.5 * np.log(2 * np.pi * variance)
        return np.stack([mean, variance], axis=-1), mass


def gaussian_evidence(values: Floats) -> Evidence:
    """The log densities of numbers (n,) under Gaussians of mean and variance, in the numbers' unit."""
    # x² - 2 xμ + μ² loses digits where μ is far from zero
    centre, spread = values.mean(), values.std()
    spread = spread if spread > 0 else 1.0
    standard = (values - centre) / spread

    def weights(parameters: Floats) -> tuple[Floats, Floats]:
        variance = parameters[..., 1] / spread**2
        mean = (parameters[..., 0] - centre) / spread
        constant = -0.5 * (mean**2 / variance + np.log(variance))
        return np.stack([mean / variance, -0.5 / variance], axis=-1), constant

    return Evidence(np.stack([standard, standard**2]), weights)
