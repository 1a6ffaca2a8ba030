"""What poisons are made of: flipped labels, honest averages, tables with wanted parameters."""

from collections.abc import Callable

import numpy as np

from attacks.poison import Forged, Knowledge
from protocols.ring import Integers
from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.robust.distances import squared_distances
from securenb.robust.points import stabilised, unstabilised
from securenb.schema.feature import Feature
from securenb.schema.levelled import SMALLEST_ROOT
from securenb.schema.schema import Schema


def flipped(tables: Integers) -> Integers:
    """Statistics of the same records, each labelled with the next class; the last one with the first."""
    return np.roll(tables, 1, axis=-2)


def pooled(tables: Integers) -> Floats:
    """The average table, shape (C, width), float64."""
    average: Floats = tables.mean(axis=0)
    return average


def honest_points(schema: Schema, tables: Integers, smoothing: float) -> Floats:
    """The points that the rules see of these nodes, shape (n, C·width), see `securenb.robust.points`."""
    return stabilised(estimate(schema, tables, smoothing)).imputed()


def towards_flip(schema: Schema, tables: Integers, smoothing: float) -> tuple[Floats, Floats]:
    """The average point of nodes, and the direction from it to that of the nodes with flipped labels."""
    middle = honest_points(schema, tables, smoothing).mean(axis=0)
    goal = honest_points(schema, flipped(tables), smoothing).mean(axis=0)
    return middle, goal - middle


def farthest_towards_flip(known: Knowledge, remoteness: Callable[[Floats], float]) -> list[Forged]:
    """The honest mean moved towards flipped labels, until it is as remote as the remotest honest node.

    Parameters
    ----------
    remoteness
        Of a point, from its squared distances to the honest nodes, shape (n,). The largest step is found
        by bisection.
    """
    schema, smoothing = known.schema, known.smoothing
    points = honest_points(schema, known.others, smoothing)
    middle, direction = towards_flip(schema, known.others, smoothing)
    limit = max(map(remoteness, squared_distances(points)))
    low, high = 0.0, 8.0
    for _ in range(40):
        step = (low + high) / 2
        fits = remoteness(np.square(points - (middle + step * direction)).sum(axis=1)) <= limit
        low, high = (step, high) if fits else (low, step)
    table = table_at(schema, middle + low * direction, pooled(known.others)[:, 0], smoothing)
    return [table] * len(known.own)


def table_at(schema: Schema, point: Floats, counts: Floats, smoothing: float) -> Integers:
    """Statistics, shape (C, width), whose estimated parameters are those of `point`, up to rounding.

    Parameters
    ----------
    point
        In the stabilised space; where it is none of a distribution, the nearest one is taken.
    counts
        How many records of each class to claim, shape (C,); the class probabilities follow `point` at the
        same total.
    """
    legal = point.reshape(len(schema.classes), schema.width).copy()
    legal[:, 0] = np.maximum(legal[:, 0], SMALLEST_ROOT)
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        legal[:, columns] = feature.legal(legal[:, columns])
    return table_of(unstabilised(schema, legal.reshape(-1)), counts, smoothing)


def table_of(parameters: Parameters, counts: Floats, smoothing: float) -> Integers:
    """Statistics whose estimate is `parameters`, see `table_at`."""
    schema, table = parameters.schema, parameters.table
    result = np.empty_like(table)
    total = counts.sum() + smoothing * len(counts)
    result[:, 0] = np.maximum(total * table[:, 0] - smoothing, 1.0)
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        result[:, columns] = feature.sums_of(table[:, columns], result[:, 0], smoothing)
    return np.rint(result).astype(np.int64)


def rarest_levels(schema: Schema, tables: Integers) -> list[tuple[int, int]]:
    """The rarest level of each feature with levels: (column of its block's start, column of the level)."""
    counts = tables.sum(axis=(0, 1))
    return [
        (block.start, block.start + int(np.argmin(counts[block.columns])))
        for block in schema.blocks
        if block.partition
    ]


def alike(feature: Feature, code: int, counts: Integers) -> Integers:
    """What so many records (n,), all with the same code, add up to, shape (n, width)."""
    one: Integers = feature.added(np.array([code], dtype=np.int32))
    return counts[:, None] * one
