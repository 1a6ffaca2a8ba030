"""The worst attack of a setting: the least that a model is worth."""

from collections.abc import Sequence

import pandas as pd

from securenb.experiments.intervals import summarised

SCORE = "balanced_accuracy"


def worst(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The lowest mean score over attacks, with its interval and the attack; `by` says what is kept apart.

    Parameters
    ----------
    table
        Results, without the attacks that are not to count. Where no node is malicious, no attack counts.
    """
    means = summarised(table, [*by, "attack"], SCORE)
    lowest = means.dropna(subset=["mean"]).groupby(list(by), sort=False, dropna=False)["mean"].idxmin()
    return means.loc[lowest].reset_index(drop=True)
