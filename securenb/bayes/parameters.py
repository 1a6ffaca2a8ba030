"""The parameters of Naive Bayes, estimated once from sums that may be noisy, negative or inconsistent.

They have the layout of the statistics they come from: column by column, the class probability in place
of the count, level probabilities in place of level counts, mean in place of the sum, variance in place
of the sum of squares.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.schema.schema import Schema

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


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
    `CategoricalNB`, which however leaves the class probabilities unsmoothed). What else a feature clamps,
    its kind says (`Feature.estimate`).

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
    smoothed = counts + smoothing
    table[..., 0] = smoothed / smoothed.sum(axis=-1, keepdims=True)
    defined[..., 0] = (counts >= 1.0).any(axis=-1, keepdims=True)
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        found = feature.estimate(sums[..., columns], counts, smoothing)
        table[..., columns], defined[..., columns] = found
    return Parameters(schema, table, defined)


def normalised(schema: Schema, table: Floats) -> Floats:
    """The table with probabilities that add to one again, after a rule combined them one by one."""
    result = table.copy()
    result[..., 0] /= result[..., 0].sum(axis=-1, keepdims=True)
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        result[..., columns] = feature.normalised(result[..., columns])
    return result
