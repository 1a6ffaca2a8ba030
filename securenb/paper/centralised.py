"""The centralised baseline as published: a curator holds all records and adds noise to the parameters.

After J. Vaidya, B. Shafiq, A. Basu and Y. Hong, "Differentially Private Naive Bayes Classification" (WI
2013), which adds noise to each mean and standard deviation at scales range / (n + 1) and
√n · range / (n + 1), where n counts the records that the parameter is estimated from. The authors' code
differs: n is the number of *all* records, not of the class's, so noise is too small by the class's share;
the noise meant for a standard deviation is added to the variance; and the range is read off the records. So
this too is **not differentially private**.
"""

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.paper.aggregate import SMALLEST_VARIANCE
from securenb.paper.records import RawRecords
from securenb.paper.release import SMALLEST_COUNT, sum_columns, tabulate
from securenb.schema.schema import Schema


def estimates(schema: Schema, records: RawRecords) -> Floats:
    """Counts, means and variances that the curator adds noise to, shape (C, width)."""
    table = tabulate(schema, records)
    sums = sum_columns(schema)
    table[:, sums] /= table[:, [0]]
    table[:, sums + 1] = table[:, sums + 1] / table[:, [0]] - table[:, sums] ** 2
    return table


def assumed_sensitivity(schema: Schema, records: RawRecords) -> Floats:
    """What the authors' code takes for the sensitivity of each estimate, shape (C, width)."""
    scale = np.ones((len(schema.classes), schema.width))
    sums = sum_columns(schema)
    for index, row in enumerate(scale):
        own = records.values[records.labels == index]
        row[sums] = np.ptp(own, axis=0) / (len(records) + 1)
        row[sums + 1] = np.sqrt(len(records)) * row[sums]
    return scale


def centralised(schema: Schema, records: RawRecords, epsilon: float, rng: np.random.Generator) -> Floats:
    """Noisy parameters, shape (C, width), in the layout of `securenb.paper.aggregate.parameters`.

    Parameters
    ----------
    epsilon
        What the paper claims that this costs a record; each of m queries gets epsilon / m.
    rng
        Asked once, for all noise, with `laplace(0, scale)` and a scale of shape (C, width).
    """
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon}")
    scale = assumed_sensitivity(schema, records) * len(schema.blocks) / epsilon
    return centralised_parameters(schema, estimates(schema, records) + rng.laplace(0.0, scale))


def centralised_parameters(schema: Schema, noisy: Floats) -> Floats:
    """Parameters from noisy estimates, both of shape (..., C, width)."""
    counts = np.maximum(noisy[..., 0], SMALLEST_COUNT)
    table = np.maximum(noisy, SMALLEST_COUNT) / counts[..., None]
    table[..., 0] = counts / counts.sum(axis=-1, keepdims=True)
    sums = sum_columns(schema)
    table[..., sums] = noisy[..., sums]
    table[..., sums + 1] = np.maximum(noisy[..., sums + 1], SMALLEST_VARIANCE)
    return table
