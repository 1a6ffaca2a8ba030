"""Means with bootstrap intervals, over paired trials."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

RESAMPLES = 2000
LEVEL = 0.95


def bootstrap(values: NDArray[np.float64], seed: int = 0) -> tuple[float, float, float]:
    """Mean, and the ends of its 95 % percentile interval (Efron 1979); NaN of nothing.

    Parameters
    ----------
    values
        One a trial; NaN where the trial gave none.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return (float("nan"),) * 3
    rng = np.random.default_rng(seed)
    means = known[rng.integers(0, len(known), (RESAMPLES, len(known)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(known.mean()), float(low), float(high)


def summarised(table: pd.DataFrame, by: Sequence[str], value: str) -> pd.DataFrame:
    """Columns `by`, then `mean`, `low`, `high` and `trials` of `value`; in the order of first appearance."""
    lines = []
    for key, group in table.groupby(list(by), sort=False, dropna=False):
        values = group[value].to_numpy(dtype=np.float64)
        mean, low, high = bootstrap(values)
        counted = int(np.count_nonzero(~np.isnan(values)))
        lines.append([*key, mean, low, high, counted])
    return pd.DataFrame(lines, columns=[*by, "mean", "low", "high", "trials"])
