"""Paired differences between rules: the same trials under each, p-values corrected for their number."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from securenb.experiments.intervals import FEWEST, mean_interval


def differences(scores: pd.DataFrame, kept: Sequence[str], value: str) -> pd.DataFrame:
    """Of each setting and rule, by how much it is better than the first rule, on the trials of both.

    The rule that all others are compared with is the first one of the results: chosen before them, where the
    best one would have been chosen by them.

    Parameters
    ----------
    scores
        One line a trial and rule in each setting: `kept`, `trial` and `value`.
    kept
        What tells settings apart, `rule` among it.

    Returns
    -------
    DataFrame
        Columns `kept`; `against`, the first rule; `difference`, the mean; `p_value`, of a paired t test that
        it is 0, from 14 trials on; `p_holm`, corrected by `holm` for all comparisons of the table.
    """
    setting, first = [name for name in kept if name != "rule"], scores["rule"].iloc[0]
    lines = []
    for key, group in scores.groupby(setting, sort=False, dropna=False):
        by_rule = group.pivot_table(index="trial", columns="rule", values=value, dropna=False, sort=False)
        for rule in by_rule.columns:
            line: list[object] = [*key, rule, first, np.nan, np.nan]
            if rule != first and first in by_rule:
                apart = (by_rule[rule] - by_rule[first]).dropna().to_numpy(dtype=np.float64)
                line[-2:] = [mean_interval(apart).middle, paired_p(apart)]
            lines.append(line)
    found = pd.DataFrame(lines, columns=[*setting, "rule", "against", "difference", "p_value"])
    return found.assign(p_holm=holm(found["p_value"].to_numpy(dtype=np.float64)))


def paired_p(apart: NDArray[np.float64]) -> float:
    """The p-value of Student's paired t test; NaN for fewer than 14 trials, where it would not hold.

    Parameters
    ----------
    apart
        Differences, one a trial.
    """
    if len(apart) < FEWEST:
        return float("nan")
    if np.ptp(apart) == 0:
        return float(apart[0] == 0)
    return float(stats.ttest_1samp(apart, 0).pvalue)


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """P-values of which one below α means that, with probability 1 - α, no true hypothesis is rejected.

    Holm 1979, "A simple sequentially rejective multiple test procedure"; NaN is no comparison.

    Parameters
    ----------
    p_values
        Shape (m,), in any order, from 0 to 1.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    found = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    scaled = p_values[order] * np.arange(len(order), 0, -1)
    found[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return found
