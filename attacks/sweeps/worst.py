"""What the worst attack on a rule is, and what a sweep of attacks says in `summary.csv`.

An attack that is chosen and measured on the same trials looks stronger than it is; one that is chosen on few
other trials may be another than the worst. So the worst attack is chosen on deals of its own and measured on
all trials, beside it stands the least mean over attacks on these trials, and the headline is the lower.
"""

import pandas as pd

from attacks.poison import choose_poison
from attacks.sweeps.paired import differences
from attacks.sweeps.poisoning_grid import NO_ATTACK
from securenb.experiments.intervals import summarised
from securenb.report.worst import SCORE, worst

KEPT = ("dataset", "nodes", "sizes", "label_skew", "numeric", "mechanism", "epsilon", "group_size", "inputs",
        "cap_ratio", "share", "rule")  # fmt: skip
"""What tells settings apart."""

THE_TRIALS = 0
"""Deals of its own on which an attack was chosen that was chosen on the trials themselves."""


def summary_of(table: pd.DataFrame, chosen_on: pd.DataFrame | None = None) -> pd.DataFrame:
    """Of each setting, rule and share what the worst attack leaves.

    Parameters
    ----------
    table
        Results of the trials.
    chosen_on
        Results of the same cells on other deals, on which the worst attack is chosen; without them it is
        chosen on the trials.

    Returns
    -------
    DataFrame
        Columns `KEPT`; `worst_attack`, its figures on all trials (see
        `securenb.experiments.intervals.summarised`), and `chosen_on`, the deals of its own on which it was
        chosen; `least_attack` and `least`, the least mean over attacks on the trials; `headline`, the lower
        of `mean` and `least`; `refused`, the largest share of trials without a model; `backdoor_success`, if
        there are backdoors; and the paired differences of `attacks.sweeps.paired.differences`.
    """
    part = overall(comparable(table))
    chosen, deals = worst_attack(part, chosen_on)
    figures = summarised(part, [*KEPT, "attack"], SCORE)
    found = chosen.merge(figures, on=[*KEPT, "attack"], how="left")
    least = worst(part, KEPT)[[*KEPT, "attack", "mean"]]
    least = least.rename(columns={"attack": "least_attack", "mean": "least"})
    summary = found.assign(chosen_on=deals).merge(least, on=list(KEPT), how="left")
    summary = summary.assign(headline=summary[["mean", "least"]].min(axis=1))
    summary = summary.rename(columns={"attack": "worst_attack"})
    failed = part.assign(failed=(part["failure"] != "").astype(float))
    failures = failed.groupby(list(KEPT), sort=False, dropna=False)["failed"].max().reset_index()
    summary = summary.merge(failures.rename(columns={"failed": "refused"}), on=list(KEPT), how="left")
    for name in ("certified", "unmasked", "accused"):
        if name in part:
            mean = part.groupby([*KEPT, "attack"], sort=False, dropna=False)[name].mean().reset_index()
            on = [*KEPT, "worst_attack"]
            summary = summary.merge(mean.rename(columns={"attack": "worst_attack"}), on=on, how="left")
    backdoors = comparable(table)[[is_backdoor(name) for name in table["attack"]]]
    if len(backdoors):
        by_attack = summarised(backdoors, [*KEPT, "attack"], "success")
        top = by_attack.groupby(list(KEPT), sort=False, dropna=False)["mean"].max().reset_index()
        summary = summary.merge(top.rename(columns={"mean": "backdoor_success"}), on=list(KEPT), how="left")
    paired = differences(part.merge(chosen, on=[*KEPT, "attack"]), KEPT, SCORE)
    return summary.merge(paired, on=list(KEPT), how="left")


def worst_attack(part: pd.DataFrame, chosen_on: pd.DataFrame | None) -> tuple[pd.DataFrame, int]:
    """The worst attack of each setting, and on how many deals of its own it was chosen.

    Parameters
    ----------
    part
        Results on the trials of attacks that are after the model as a whole.
    chosen_on
        See `summary_of`.
    """
    if chosen_on is None or chosen_on.empty:
        return worst(part, KEPT)[[*KEPT, "attack"]], THE_TRIALS
    apart = overall(comparable(chosen_on))
    if set(part["trial"]) & set(apart["trial"]):
        raise ValueError("the worst attack is chosen on deals of its own: these are among the trials")
    return worst(apart, KEPT)[[*KEPT, "attack"]], apart["trial"].nunique()


def comparable(table: pd.DataFrame) -> pd.DataFrame:
    """Results in which a cap tells settings apart only where it is checked."""
    unchecked = table["inputs"] == "unchecked"
    # a column of nothing but None would join with no other
    numbers = {name: pd.to_numeric(table[name]) for name in ("label_skew", "group_size")}
    return table.assign(cap_ratio=table["cap_ratio"].where(~unchecked).astype(float), **numbers)


def overall(table: pd.DataFrame) -> pd.DataFrame:
    """Results of the attacks that are after the model as a whole."""
    return table[[not is_backdoor(name) for name in table["attack"]]]


def is_backdoor(attack: str) -> bool:
    """Whether an attack is after some records alone."""
    return attack != NO_ATTACK and choose_poison(attack).aim == "backdoor"
