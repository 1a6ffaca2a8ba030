"""Forged statistics brought within the invariants of honest ones, as an attacker would who is checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocols.ring import Integers
from securenb.schema.levelled import apportion
from securenb.schema.schema import Schema

_MOST = 2.0**52
"""Larger forged numbers are cut to this: float64 holds every integer below."""


def into_invariants(schema: Schema, forged: NDArray[Any], cap: int) -> Integers:
    """A table (C, width) that satisfies `securenb.schema.invariants.invariants`, near `forged`.

    Counts are made non-negative and scaled down to at most `cap` records; each feature's sums follow them
    (`Feature.nearest_valid`). What is not even a table of finite numbers becomes a table of zeros.

    Raises
    ------
    ValueError
        If the kind of a feature has no invariants.
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
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        result[:, columns] = feature.nearest_valid(raw[:, columns], claimed, counts)
    return result
