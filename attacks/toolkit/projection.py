"""Forged statistics brought within the invariants of honest ones, as an attacker would who is checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.schema.feature import Numeric
from securenb.schema.schema import Schema

_MOST = 2.0**52
"""Larger forged numbers are cut to this: float64 holds every integer below."""


def into_invariants(schema: Schema, forged: NDArray[Any], cap: int) -> Integers:
    """A table (C, width) that satisfies `securenb.schema.invariants.invariants`, near `forged`.

    Counts are made non-negative and scaled down to at most `cap` records; levels are apportioned to their
    class count; sums and squares are moved to the nearest values that some records could have, up to
    rounding. What is not even a table of finite numbers becomes a table of zeros.
    """
    shape = (len(schema.classes), schema.width)
    if forged.shape != shape or not np.issubdtype(forged.dtype, np.number):
        return np.zeros(shape, dtype=np.int64)
    raw = np.nan_to_num(forged.astype(np.float64), nan=0.0, posinf=_MOST, neginf=-_MOST).clip(-_MOST, _MOST)
    claimed = np.maximum(raw[:, 0], 0.0)
    total = claimed.sum()
    counts = apportion(claimed, min(round(total), cap)) if total >= 1 else np.zeros(shape[0], np.int64)
    result = np.zeros(shape, dtype=np.int64)
    result[:, 0] = counts
    for block in schema.blocks:
        if block.kind == "levels":
            result[:, block.columns] = apportion(np.maximum(raw[:, block.columns], 0.0), counts)
        elif block.kind == "sum":
            feature = schema.features[block.feature]
            assert isinstance(feature, Numeric)
            for row, count in enumerate(counts):
                if count:
                    scale = count / max(claimed[row], 1.0)
                    pair = raw[row, block.start] * scale, raw[row, block.start + 1] * scale
                    result[row, block.start : block.start + 2] = _moments(feature, int(count), *pair)
    return result


def apportion(weights: NDArray[np.float64], total: Integers | int) -> Integers:
    """Integers proportional to `weights` that sum to `total`; largest remainders first, then the first.

    Parameters
    ----------
    weights
        Shape (..., k), not negative; where all are zero, equal ones are taken.
    total
        Shape (...).
    """
    total = np.asarray(total)[..., None]
    sums = weights.sum(axis=-1, keepdims=True)
    ideal = total * np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), 1.0 / weights.shape[-1])
    result: Integers = np.floor(ideal).astype(np.int64)
    missing = total - result.sum(axis=-1, keepdims=True)
    rank = np.argsort(np.argsort(result - ideal, axis=-1, kind="stable"), axis=-1, kind="stable")
    result += rank < missing
    return result


def _moments(feature: Numeric, count: int, centred: float, squares: float) -> tuple[int, int]:
    """Centred sum and sum of squares of `count` grid points 0 … Q, near the wanted ones."""
    top, offset = feature.steps, feature.offset
    s = int(np.clip(round(centred) + offset * count, 0, top * count))
    q = round(squares) + 2 * offset * (s - offset * count) + (offset**2 + feature.square_offset) * count
    # s² ≤ n·q, and s ≤ q ≤ Q·s as for integers between 0 and Q
    q = min(max(q, s, -(-s * s // count)), top * s)
    c = s - offset * count
    return c, q - 2 * offset * c - (offset**2 + feature.square_offset) * count
