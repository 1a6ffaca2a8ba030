"""Weights of records, exactly: what callers give, and what they add up to."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from securenb.estimators.moments import UNIT, Weights, exact_weights


def given_weights(sample_weight: ArrayLike | None, records: int) -> Weights | None:
    """Exact weights, shape (n,), or `None` where all weigh the same."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape == ():
        weights = np.full(records, weights)
    if weights.shape != (records,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(records,)}!")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        row = int(np.argmin(np.isfinite(weights) & (weights >= 0)))
        raise ValueError(f"sample_weight, row {row + 1}: {weights[row]} (NaN, infinity or negative)")
    if not weights.any():
        raise ValueError("sample_weight: all weights are zero")
    return exact_weights(weights)


def weight_of(weights: Weights | None, records: int) -> int:
    """What records weigh together, in units of 1 / UNIT."""
    return records * UNIT if weights is None else sum(weights.tolist())


def counted(state: Mapping[Any, int], column: NDArray[np.object_], weights: Weights | None) -> dict[Any, int]:
    """Weights of the categories, with more records."""
    result = dict(state)
    codes, levels = pd.factorize(column)
    for code, level in enumerate(levels.tolist()):
        own = codes == code
        more = weight_of(None if weights is None else weights[own], int(own.sum()))
        result[level] = result.get(level, 0) + more
    return result
