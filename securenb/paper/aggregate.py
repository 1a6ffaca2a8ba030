"""Algorithm 2 as published: the parameters of Naive Bayes from what the nodes sent, and its predictions.

With exact tables (`securenb.paper.release.tabulate`) this is vanilla Naive Bayes.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.paper.records import RawRecords, levelled
from securenb.paper.release import SMALLEST_COUNT, sum_columns
from securenb.schema.schema import Schema

SMALLEST_VARIANCE = 1e-6
"""What the authors' code clamps variances to."""


def aggregate(schema: Schema, tables: Iterable[Floats]) -> Floats:
    """The parameters of the sum of the nodes' tables, shape (C, width)."""
    return parameters(schema, np.sum(np.stack(list(tables)), axis=0))


def parameters(schema: Schema, totals: Floats) -> Floats:
    """Parameters in the layout of the statistics, shape (..., C, width), for totals of the same shape.

    Class probability in place of the count, level counts over the class count, mean in place of the sum,
    variance in place of the sum of squares. Level probabilities of a feature need not add to one.
    """
    counts = totals[..., 0]
    table = np.maximum(totals, SMALLEST_COUNT) / counts[..., None]
    table[..., 0] = counts / counts.sum(axis=-1, keepdims=True)
    sums = sum_columns(schema)
    mean = totals[..., sums] / counts[..., None]
    table[..., sums] = mean
    variance = totals[..., sums + 1] / counts[..., None] - mean**2
    table[..., sums + 1] = np.maximum(variance, SMALLEST_VARIANCE)
    return table


def log_joint(schema: Schema, table: Floats, records: RawRecords) -> Floats:
    """Log of p(class, features) under parameters of shape (C, width); shape (n, C)."""
    logs = np.log(table[:, [0]]) + np.log(np.where(_probabilities(schema), table, 1.0))[:, records.cells].sum(
        axis=-1
    )
    sums = sum_columns(schema)
    mean, variance = table[:, None, sums], table[:, None, sums + 1]
    logs -= 0.5 * ((records.values - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=-1)
    result: Floats = logs.T
    return result


def predict(schema: Schema, table: Floats, records: RawRecords) -> NDArray[np.int64]:
    """Class indices, shape (n,); the first class on ties."""
    best: NDArray[np.int64] = np.argmax(log_joint(schema, table, records), axis=1)
    return best


def _probabilities(schema: Schema) -> NDArray[np.bool_]:
    """Which columns hold probabilities of levels, shape (width,)."""
    mask = np.zeros(schema.width, dtype=np.bool_)
    for index in levelled(schema):
        mask[schema.columns[index]] = True
    return mask
