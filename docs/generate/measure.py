"""Measures the curves of the pages of methods, and keeps them: `python docs/generate/measure.py [NAME]`.

Phishing, 20 nodes, seed 7, 30 trials; of each point the mean and Student's t interval. Minutes of one core.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import attacks
import securenb as nb
from attacks.poison import POISONS
from attacks.sweeps.inferences import InferenceGrid, measure_inference
from securenb.experiments.intervals import mean_interval
from securenb.experiments.sweep import measured_here
from securenb.robust.rule import RULES

KEPT = Path(__file__).parent / "kept"
SAME: dict[str, Any] = {"dataset": "phishing", "nodes": 20, "trials": 30, "seed": 7}
SHARES = [0.1, 0.2, 0.3, 0.4]
AGAINST_RULES = ["label_flip", "scaled_flip", "sign_flip", "alie", "min_max", "tight_cluster"]
PROVEN = ["label_flip", "heavy_flip", "worst_records"]
QUOTA = "staircase(quota=30)"
SLOW = ("evolution", "increments")
"""Poisons that search for seconds each: docs/resilience.md has what they do."""
EPSILONS = ["0.3", "1", "3", "10"]


def summed(frame: pd.DataFrame, by: list[str], value: str) -> pd.DataFrame:
    """Mean and interval of each combination."""
    rows = []
    for key, part in frame.groupby(by, sort=False, dropna=False):
        found = mean_interval(part[value].to_numpy(dtype=np.float64))
        rows.append(
            [
                *key,
                round(found.middle, 4),
                round(found.low, 4),
                round(found.high, 4),
                int(part[value].count()),
            ]
        )
    return pd.DataFrame(rows, columns=[*by, "mean", "low", "high", "trials"])


def poisoning(**choices: Any) -> pd.DataFrame:
    """Balanced accuracy of rules under poisons."""
    study = {"epsilon": "none", "malicious": SHARES, "selection": 0, **SAME, **choices}
    frame = attacks.evaluate(study.pop("dataset"), **study)
    return summed(frame, ["rule", "attack", "share"], "balanced_accuracy")


def rules() -> pd.DataFrame:
    """Every rule under six poisons, and those that rely on a proven cap under three that heed it."""
    proven = [name for name in RULES if RULES[name].capped and name != "staircase"]
    others = [name for name in RULES if name not in [*proven, "staircase"]]
    free = poisoning(rules=others, attacks=AGAINST_RULES)
    return pd.concat([free, poisoning(rules=[*proven, QUOTA], attacks=PROVEN, inputs=["verified"])])


def poisons() -> pd.DataFrame:
    """Every poison but the slow ones against four rules."""
    chosen = [name for name in POISONS if name not in SLOW and not name.startswith("gradient")]
    return poisoning(rules=["sum", "median", "krum", "trimmed_mean"], attacks=chosen)


def mechanisms() -> pd.DataFrame:
    """One whole dose in one sum, by epsilon."""
    found = []
    for name in nb.MECHANISMS:
        if name == "none":
            continue
        delta = {"delta": 1e-5} if nb.MECHANISMS[name].needs_delta else {}
        sweep = {"protocol": "masking", "curator": True, "mechanism": name, "epsilon": EPSILONS, **delta}
        found.append(nb.Sweep.model_validate({**SAME, **sweep}).run().frame)
    return summed(pd.concat(found), ["mechanism", "epsilon"], "balanced_accuracy")


def inferences() -> pd.DataFrame:
    """Every inference by epsilon, from vectors in the clear and from one sum."""
    choices = {**SAME, "protocol": ["plain", "masking"], "epsilon": ["none", "10", "1"]}
    own = {"trials": choices.pop("trials"), "seed": choices.pop("seed")}
    grid = InferenceGrid(inference="all", records=20, choices=choices, **own)
    frame = measured_here(grid.cells(), measure_inference, jobs=1, backend="loky")
    right = summed(frame, ["inference", "protocol", "epsilon"], "right")
    return right.assign(lucky=summed(frame, ["inference", "protocol", "epsilon"], "lucky")["mean"])


MEASURED = {each.__name__: each for each in (rules, poisons, mechanisms, inferences)}


def main(names: list[str]) -> Iterator[Path]:
    """Measure and keep; the files."""
    KEPT.mkdir(exist_ok=True)
    for name in names or list(MEASURED):
        path = KEPT / f"{name}.csv"
        MEASURED[name]().to_csv(path, index=False)
        yield path


if __name__ == "__main__":
    for each in main(sys.argv[1:]):
        sys.stdout.write(f"{each}\n")
