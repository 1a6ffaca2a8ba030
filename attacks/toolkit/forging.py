"""What poisons are made of: flipped labels, honest averages, tables with wanted parameters."""

from collections.abc import Callable

import numpy as np

from attacks.poison import Forged, Knowledge
from attacks.toolkit.projection import into_invariants
from protocols.ring import Integers
from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.federation.federation import RECORD_CAP
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


def claimed(known: Knowledge, times: int) -> int:
    """So many caps, or as many records as a round without checks lets one node claim."""
    return max(min(times * known.cap, RECORD_CAP // 2), known.cap)


def honest_points(schema: Schema, tables: Integers, smoothing: float) -> Floats:
    """The points that the rules see of these nodes, shape (n, C·width), see `securenb.robust.points`."""
    return stabilised(estimate(schema, tables, smoothing)).imputed()


def point_among(schema: Schema, table: Integers, smoothing: float, points: Floats) -> Floats:
    """The point of a table (C, width) among those of others: their median where it has none."""
    own = stabilised(estimate(schema, table[None], smoothing))
    return np.where(own.defined[0], own.values[0], np.median(points, axis=0))


def towards_flip(schema: Schema, tables: Integers, smoothing: float) -> tuple[Floats, Floats]:
    """The average point of nodes, and the direction from it to that of the nodes with flipped labels."""
    middle = honest_points(schema, tables, smoothing).mean(axis=0)
    goal = honest_points(schema, flipped(tables), smoothing).mean(axis=0)
    return middle, goal - middle


def farthest(
    known: Knowledge, direction: Floats, remoteness: Callable[[Floats], float], *, inside: bool
) -> list[Forged]:
    """The honest mean moved in a direction, until it is as remote as the remotest honest node.

    The bound holds for the table that is sent, after it was made integers and brought within the
    invariants: of the steps that keep it the largest is taken. Where rounding alone breaks it, the most
    central honest node's table is sent.

    Parameters
    ----------
    direction
        In the space of points, shape (C·width,).
    remoteness
        Of a point, from its squared distances to the honest nodes, shape (n,).
    inside
        Whether the table must be within the invariants and the cap.
    """
    schema, smoothing = known.schema, known.smoothing
    points = honest_points(schema, known.others, smoothing)
    middle, counts = points.mean(axis=0), pooled(known.others)[:, 0]
    distances = squared_distances(points)
    limit = max(map(remoteness, distances))

    def table(step: float) -> Integers:
        moved = table_at(schema, middle + step * direction, counts, smoothing)
        return into_invariants(schema, moved, known.cap) if inside else moved

    def fits(candidate: Integers) -> bool:
        point = point_among(schema, candidate, smoothing, points)
        return remoteness(np.square(points - point).sum(axis=1)) <= limit

    # rounding makes it fit here and there beyond a step that does not: coarse from afar, then finer
    best, low, high = None, 0.0, 8.0
    for step in np.geomspace(8.0, 0.02, 30):
        candidate = table(float(step))
        if fits(candidate):
            best, low = candidate, float(step)
            break
        high = float(step)
    for _ in range(20 if best is not None else 0):
        step = (low + high) / 2
        candidate = table(step)
        if fits(candidate):
            best, low = candidate, step
        else:
            high = step
    if best is None:
        best = known.others[int(np.argmin([remoteness(row) for row in distances]))]
        best = into_invariants(schema, best, known.cap) if inside else best
    return [best] * len(known.own)


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
