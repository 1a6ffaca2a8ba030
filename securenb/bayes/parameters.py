"""The parameters of Naive Bayes, estimated once from sums that may be noisy, negative or inconsistent.

They have the layout of the statistics they come from: column by column, the class probability in place
of the count, level probabilities in place of level counts, mean in place of the sum, variance in place
of the sum of squares.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.schema.feature import Numeric
from securenb.schema.schema import Schema

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

GRID_VARIANCE = 1 / 12
"""Variance, in squared grid steps, of a value known only to the nearest grid point (Sheppard)."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """Estimated parameters of one row, or of many stacked.

    Attributes
    ----------
    schema
        Says what each column means.
    table
        Shape (..., C, width), float64, always finite. Means and variances are in grid steps around
        `Numeric.offset`.
    defined
        Same shape: whether the row had records to estimate this from. Where it had none the table
        holds what is known without data: equal probabilities, and the mean and variance of a uniform
        distribution over the bounds.
    """

    schema: Schema
    table: Floats
    defined: Mask


def estimate(schema: Schema, tables: Integers | Floats, smoothing: float = 1.0) -> Parameters:
    """Estimate the parameters of each row.

    Negative counts are clamped to zero here, after opening: clamping at each node would bias the sum.
    Probabilities get additive smoothing (Manning, Raghavan and Schütze 2008, section 13.2; scikit-learn's
    `CategoricalNB`, which however leaves the class probabilities unsmoothed). Means are clamped to the
    bounds; variances to between `GRID_VARIANCE` and a quarter of the squared range, the largest variance
    that bounded values can have (Popoviciu 1935).

    Parameters
    ----------
    tables
        Opened sums, shape (..., C, width).
    smoothing
        Pseudo-count added to every probability; positive, so that no probability is zero.
    """
    if not smoothing > 0:
        raise ValueError(f"smoothing must be positive, got {smoothing}")
    sums = np.asarray(tables, dtype=np.float64)
    if sums.shape[-2:] != (len(schema.classes), schema.width):
        raise ValueError(f"expected tables of shape (..., {len(schema.classes)}, {schema.width})")
    table = np.empty_like(sums)
    defined = np.empty(sums.shape, dtype=np.bool_)
    counts = np.maximum(sums[..., 0], 0.0)
    seen = counts >= 1.0
    table[..., 0] = _probabilities(counts, smoothing)
    defined[..., 0] = seen.any(axis=-1, keepdims=True)
    for block in schema.blocks:
        if block.kind == "levels":
            columns = np.maximum(sums[..., block.columns], 0.0)
            table[..., block.columns] = _probabilities(columns, smoothing)
            defined[..., block.columns] = (seen & (columns.sum(axis=-1) >= 1.0))[..., None]
        elif block.kind == "sum":
            feature = schema.features[block.feature]
            assert isinstance(feature, Numeric)
            safe = np.maximum(counts, 1.0)
            low, high = -feature.offset, feature.steps - feature.offset
            mean = np.clip(sums[..., block.start] / safe, low, high)
            square = sums[..., block.start + 1] / safe + feature.square_offset
            variance = np.clip(square - mean**2, GRID_VARIANCE, feature.steps**2 / 4)
            table[..., block.start] = np.where(seen, mean, (low + high) / 2)
            table[..., block.start + 1] = np.where(seen, variance, feature.steps**2 / 12)
            defined[..., block.start : block.start + 2] = seen[..., None]
    return Parameters(schema, table, defined)


def normalised(schema: Schema, table: Floats) -> Floats:
    """The table with probabilities that add to one again, after a rule combined them one by one."""
    result = table.copy()
    result[..., 0] /= result[..., 0].sum(axis=-1, keepdims=True)
    for block in schema.blocks:
        if block.kind == "levels":
            result[..., block.columns] /= result[..., block.columns].sum(axis=-1, keepdims=True)
    return result


def _probabilities(counts: Floats, smoothing: float) -> Floats:
    """Smoothed shares of the last axis."""
    smoothed = counts + smoothing
    result: Floats = smoothed / smoothed.sum(axis=-1, keepdims=True)
    return result
