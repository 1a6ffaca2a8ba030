"""Sums of numbers pulled towards what all classes share, as far as the known noise in them says.

A variance is a small difference of large sums: where noise drowns it, it falls to the least that a grid
allows, and one feature that happens to have it decides every prediction.
"""

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.schema.features.numeric import GRID_VARIANCE, Numeric
from securenb.schema.schema import Schema

SPREAD = 0.5
"""Prior variance of a class's mean around the pooled one, over the pooled variance; and prior standard
deviation of its variance, over the same."""

LEAST = 0.02
"""The least variance of a class, over the pooled one, where there is noise."""


def settled(schema: Schema, table: Floats, noise: Floats) -> Floats:
    """Sums and sums of squares of numbers that stand for shrunk means and variances.

    The pooled mean and variance are themselves pulled, towards the middle of the bounds and the variance of
    a uniform variable, s²/12; each class's towards the pooled ones. All are the best linear estimates for the
    prior widths above, with the noise of the other estimates taken as known.

    Parameters
    ----------
    table
        Opened sums, shape (..., C, width).
    noise
        Variance of the noise in each column, shape (..., width).
    """
    result = np.array(table, dtype=np.float64)
    if not (noise > 0).any():
        return result
    counts = np.maximum(np.floor(result[..., 0] + 0.5), 1.0)
    total, classes = counts.sum(axis=-1, keepdims=True), counts.shape[-1]
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        if not isinstance(feature, Numeric):
            continue
        at = columns.start
        sums, squares = result[..., at], result[..., at + 1]
        of_sum, of_squares = noise[..., at, None], noise[..., at + 1, None]
        low, high = -feature.offset, feature.steps - feature.offset
        uniform, widest, middle = feature.steps**2 / 12, feature.steps**2 / 4, (low + high) / 2

        noisy = classes * of_sum / total**2
        pooled = np.clip(sums.sum(axis=-1, keepdims=True) / total, low, high)
        pooled = _pulled(middle, pooled, uniform, noisy)
        noisy = classes * (of_squares + 4 * pooled**2 * of_sum) / total**2
        shared = squares.sum(axis=-1, keepdims=True) / total + feature.square_offset - pooled**2
        shared = _pulled(uniform, np.clip(shared, GRID_VARIANCE, widest), uniform**2, noisy)

        mean = np.clip(sums / counts, low, high)
        mean = _pulled(pooled, mean, SPREAD * shared, of_sum / counts**2)
        # the mean that is read off rounded sums: its square is taken off the squares again
        mean = np.floor(counts * mean + 0.5) / counts
        noisy = (of_squares + 4 * mean**2 * of_sum) / counts**2
        variance = squares / counts + feature.square_offset - mean**2
        variance = _pulled(shared, variance, (SPREAD * shared) ** 2, noisy)
        variance = np.clip(variance, np.maximum(GRID_VARIANCE, LEAST * shared), widest)
        result[..., at] = counts * mean
        result[..., at + 1] = counts * (variance + mean**2 - feature.square_offset)
    return result


def _pulled(centre: Floats | float, value: Floats, prior: Floats | float, noisy: Floats) -> Floats:
    """`value`, whose noise has variance `noisy`, towards `centre`, around which it has variance `prior`."""
    pulled: Floats = centre + prior / (prior + noisy) * (value - centre)
    return pulled
