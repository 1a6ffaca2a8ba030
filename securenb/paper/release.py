"""Algorithm 1 as published: one node's noisy answers, with noise scaled to the node's own records.

**Not differentially private.** It is the mechanism that the paper's figures were made with, to be
reproduced and audited, never to be used. Four things are wrong with it: the scale of the noise on a sum is
the largest absolute value that the node holds, so the scale itself tells; a class that the node does not
hold is answered with exact zeros; a feature that is zero throughout gets no noise; and the noise is a
floating-point Laplace, whose low bits tell.
"""

import numpy as np

from securenb.bayes.parameters import Floats, Mask
from securenb.paper.records import RawRecords, levelled
from securenb.schema.schema import Schema

SMALLEST_COUNT = 1e-6
"""What the authors' code clamps counts to, at each node: so the sum over nodes is biased upwards."""


def tabulate(schema: Schema, records: RawRecords) -> Floats:
    """Counts, sums and sums of squares, shape (C, width): `securenb.schema.statistics` in real numbers."""
    table = np.empty((len(schema.classes), schema.width))
    sums = sum_columns(schema)
    for index, row in enumerate(table):
        own = records[records.labels == index]
        row[:] = np.bincount(own.cells.reshape(-1), minlength=schema.width)
        row[0] = len(own)
        row[sums] = own.values.sum(axis=0)
        row[sums + 1] = (own.values**2).sum(axis=0)
    return table


def local_sensitivity(schema: Schema, records: RawRecords) -> Floats:
    """What the paper takes for the sensitivity of each answer, shape (C, width).

    One for counts. For a sum, the largest absolute value among the node's records of that class; for a sum
    of squares, its square. Zero for a class that the node does not hold, whose count alone gets noise.
    """
    scale = np.zeros((len(schema.classes), schema.width))
    sums = sum_columns(schema)
    for index, row in enumerate(scale):
        own = records[records.labels == index]
        if len(own):
            row[:] = 1.0
            row[sums] = np.abs(own.values).max(axis=0)
            row[sums + 1] = row[sums] ** 2
    scale[:, 0] = 1.0
    return scale


def release(schema: Schema, records: RawRecords, epsilon: float, rng: np.random.Generator) -> Floats:
    """What one node sends, shape (C, width).

    A record answers m = 1 + categorical + 2 · numeric queries; each gets epsilon / m.

    Parameters
    ----------
    records
        The node's, at least one.
    epsilon
        What the paper claims that this costs a record. It does not hold.
    rng
        Asked once, for all noise, with `laplace(0, scale)` and a scale of shape (C, width).
    """
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon}")
    if not len(records):
        raise ValueError("a node needs at least one record")
    scale = local_sensitivity(schema, records) * len(schema.blocks) / epsilon
    noisy = tabulate(schema, records) + rng.laplace(0.0, scale)
    return np.maximum(noisy, floors(schema, np.bincount(records.labels, minlength=len(schema.classes)) > 0))


def floors(schema: Schema, present: Mask) -> Floats:
    """The least that each node's answer is clamped to, shape (..., C, width), given classes (..., C).

    Counts to `SMALLEST_COUNT`, sums of squares to zero, sums not at all. An absent class is exactly zero.
    """
    floor = np.full((*present.shape, schema.width), SMALLEST_COUNT)
    floor[~present] = 0.0
    floor[..., 0] = SMALLEST_COUNT
    sums = sum_columns(schema)
    floor[..., sums] = -np.inf
    floor[..., sums + 1] = 0.0
    return floor


def sum_columns(schema: Schema) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The columns that hold sums; the sums of squares are one further right."""
    starts = [columns.start for columns in schema.columns]
    return np.delete(np.array(starts, dtype=np.intp), levelled(schema))
