"""Sums pulled towards what all classes share, as far as the known variance of the noise in them says.

Best linear estimates in the sense of empirical Bayes (Efron and Morris 1975), except where levels are rare.
The widths of the priors are constants of this file; `docs/privacy.md` says what a factor of four does.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COUNT_WIDTH = 3.0
"""Prior variance of a class's count around equal ones, over the square of these."""

SHARE_WIDTH = 1.0
"""Prior variance of a level's share among all records around equal ones, over the square of these."""

LEVEL_FLOOR = 0.01
"""What a level counts for at least, over the standard deviation of the noise in its count."""

NUMBER_WIDTH = 0.5
"""Prior variance of a class's mean around the pooled one, over the pooled variance; and prior standard
deviation of its variance, over the same."""

VARIANCE_FLOOR = 0.1
"""The least variance of a class, over the pooled one, or the standard deviation of the noise in it if that is
less: a narrow class is narrow where hardly any noise is."""


def pulled(centre: Floats | float, value: Floats, prior: Floats | float, noise: Floats | float) -> Floats:
    """`value`, whose noise has variance `noise`, towards `centre`, around which it has variance `prior`."""
    result: Floats = centre + prior / (prior + noise) * (value - centre)
    return result


def class_counts(counts: Floats, noise: Floats) -> Floats:
    """Counts of the classes, (..., C), pulled towards equal ones, none negative; `noise` (...) is positive.

    Where noise drowns a class, its count may be negative, and then it is never predicted and its means are
    nothing but noise. A rare class among few records is overestimated.
    """
    classes = counts.shape[-1]
    equal = np.maximum(counts.sum(axis=-1, keepdims=True), classes) / classes
    found = pulled(equal, counts, COUNT_WIDTH * equal**2, noise[..., None] * (1 - 1 / classes))
    result: Floats = np.maximum(found, 0.0)
    return result


def level_counts(cells: Floats, counts: Floats, noise: Floats) -> Floats:
    """Counts of levels that are not below what the noise leaves uncertain.

    Noise turns half of the small counts into zeros, and each then weighs like proof of absence. So no level
    counts for less than `LEVEL_FLOOR` standard deviations, or its share of the class by the pooled records if
    that is less. Counts above are left alone: where they are pulled to pooled ones, absent levels no longer
    stand out, and these often are what tells classes apart.

    Parameters
    ----------
    cells
        Shape (..., C, k).
    counts
        Records of each class, shape (..., C), at least 1.
    noise
        Variance of the noise in each level, shape (..., k), positive.
    """
    classes, levels = cells.shape[-2:]
    total = counts.sum(axis=-1)[..., None]
    share = np.clip(cells.sum(axis=-2) / total, 0.0, 1.0)
    share = pulled(1 / levels, share, SHARE_WIDTH / levels**2, classes * noise / total**2)
    whole = share.sum(axis=-1, keepdims=True)
    # noise so small that it is lost beside cells which cancel leaves nothing to share by
    share = np.divide(share, whole, out=np.full_like(share, 1 / levels), where=whole > 0)
    expected = counts[..., None] * share[..., None, :]
    least = LEVEL_FLOOR * np.sqrt(noise)[..., None, :]
    result: Floats = np.maximum(np.maximum(cells, 0.0), np.minimum(expected, least))
    return result


def gaussian_sums(
    sums: Floats, counts: Floats, noise: Floats, *, low: int, steps: int, square_offset: int, least: float
) -> Floats:
    """Sums and sums of squares, (..., C, 2), that stand for shrunk means and variances.

    A variance is a small difference of large sums: where noise drowns it, it falls to the least that a grid
    allows, and one feature that happens to have it decides every prediction. The pooled mean and variance are
    themselves pulled, towards the middle of the bounds and the variance of a uniform variable, steps²/12;
    each class's towards the pooled ones, with the noise of the other estimates taken as known.

    Parameters
    ----------
    counts
        Records of each class, whole numbers, shape (..., C), at least 1.
    noise
        Variance of the noise in sums and squares, shape (..., 2), positive.
    low, steps
        The smallest value, and how far the largest is above it.
    square_offset
        What is subtracted from each square.
    least
        The least variance that a class may have.
    """
    total, classes = counts.sum(axis=-1, keepdims=True), counts.shape[-1]
    of_sum, of_squares = noise[..., 0, None], noise[..., 1, None]
    high, uniform, widest = low + steps, steps**2 / 12, steps**2 / 4

    pooled = np.clip(sums[..., 0].sum(axis=-1, keepdims=True) / total, low, high)
    pooled = pulled((low + high) / 2, pooled, uniform, classes * of_sum / total**2)
    noisy = classes * (of_squares + 4 * pooled**2 * of_sum) / total**2
    shared = sums[..., 1].sum(axis=-1, keepdims=True) / total + square_offset - pooled**2
    shared = pulled(uniform, np.clip(shared, least, widest), uniform**2, noisy)

    mean = np.clip(sums[..., 0] / counts, low, high)
    mean = pulled(pooled, mean, NUMBER_WIDTH * shared, of_sum / counts**2)
    # the mean that is read off rounded sums: its square is taken off the squares again
    mean = np.floor(counts * mean + 0.5) / counts
    noisy = (of_squares + 4 * mean**2 * of_sum) / counts**2
    variance = sums[..., 1] / counts + square_offset - mean**2
    variance = pulled(shared, variance, (NUMBER_WIDTH * shared) ** 2, noisy)
    floor = np.minimum(VARIANCE_FLOOR * shared, np.sqrt(noisy))
    variance = np.clip(variance, np.maximum(least, floor), widest)
    return np.stack([counts * mean, counts * (variance + mean**2 - square_offset)], axis=-1)
