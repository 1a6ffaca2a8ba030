"""Rounds whose opened rows and models must stay as they are, whatever moves around them.

`python -m tests.golden.rounds` writes `rounds.json` again; each change of a line in it needs a line in
`CHANGELOG.md` that says why.
"""

import json
from pathlib import Path
from typing import Any

from protocols.canonical import digest
from securenb.experiments.scenario import Scenario

RECORDED = Path(__file__).with_name("rounds.json")
BUNDLED = ("phishing", "breast_cancer", "digits")
DOWNLOADED = ("accelerometer", "adult", "mushroom", "skin", "spect", "votes")

BASE = {"dataset": "phishing", "nodes": 8, "protocol": "ideal", "epsilon": "1", "seed": 7}


def _scenarios() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name in (
        "gossip", "ideal", "masking", "mixer", "oneshot", "paillier", "plain", "ring", "secagg",
        "secagg_plus", "threshold_paillier", "verified",
    ):  # fmt: skip
        found[f"protocol {name}"] = {"protocol": name}
    for name in ("discrete_gaussian", "discrete_laplace", "skellam"):
        delta = {} if name == "discrete_laplace" else {"delta": 1e-6}
        found[f"mechanism {name}"] = {"dataset": "breast_cancer", "mechanism": name, **delta}
        found[f"mechanism {name} in groups"] = {"mechanism": name, "group_size": 4, **delta}
    for name in (
        "bulyan", "centered_clipping", "geometric_median", "krum", "mda", "meamed", "mean", "median",
        "multi_krum", "sum", "trimmed_mean", "trusted_rows", "weighted_median", "nnm+median",
        "bucketing+krum", "clip+mean", "caf", "dnc", "filter_l2", "flcert",
    ):  # fmt: skip
        found[f"rule {name}"] = {"rule": name, "nodes": 30, "group_size": 2, "epsilon": "30", "seed": 3}
    for name in (*BUNDLED, *DOWNLOADED):
        found[f"data {name}"] = {"dataset": name, "nodes": 20, "epsilon": "10"}
    proven = {"protocol": "verified", "record_cap": 200}
    found |= {
        "no noise": {"epsilon": "none"},
        "histogram": {"dataset": "breast_cancer", "numeric": "histogram"},
        "sizes": {"sizes": "exponential", "nodes": 20},
        "label skew": {"label_skew": 0.1, "nodes": 20, "rule": "median", "group_size": 1, "epsilon": "none"},
        "shrinkage of rows": {"rule": "median", "nodes": 30, "group_size": 6, "shrinkage": True, "seed": 3},
        "no shrinkage": {"dataset": "breast_cancer", "shrinkage": False},
        "no consistency": {"consistency": False},
        "colluding": {"protocol": "secagg", "colluding": 2},
        "malicious bound": {"rule": "median", "group_size": 1, "malicious_bound": 2, "epsilon": "none"},
        "verified cap": proven,
        "verified_sum": proven | {"rule": "verified_sum"},
        "calibrated_sum": proven | {"rule": "calibrated_sum"},
        "staircase": proven | {"rule": "staircase(quota=30/30)", "record_cap": None},
        "staircase, few nodes trimmed": proven
        | {"rule": "staircase(quota=30/30, tolerate=0.2)", "record_cap": None, "epsilon": "none"},
        "k_norm of aggregators": proven | {"mechanism": "k_norm"},
        "k_norm of a curator": {"dataset": "breast_cancer", "mechanism": "k_norm", "curator": True},
        "little for the class count": {"mechanism": "discrete_laplace(count=0.1)"},
        "witnesses": {"witnesses": 50},
        "split": proven | {"record_cap": 80, "split": True, "sizes": "exponential"},
    }
    return {name: BASE | choices for name, choices in found.items()}


SCENARIOS = _scenarios()


def measured(choices: dict[str, Any]) -> dict[str, Any]:
    """Rows as a digest, the model as numbers, and what the ledger says."""
    scenario = Scenario.checked(**choices)
    data = scenario.load()
    round_ = scenario.federation(data).run(scenario.deal(data))
    rows, members = round_.opened.rows, [list(group) for group in round_.opened.members]
    return {
        "rows": digest("golden rows", rows.shape[0], rows.shape[1], rows.tobytes(), members).hex(),
        "accuracy": round(round_.model.score(data.test), 9),
        "balanced_accuracy": round(round_.model.balanced_score(data.test), 9),
        "epsilon": [str(round_.ledger.epsilon(kind)) for kind in ("add-remove", "replace-one")],
        "learned": round_.learned,
    }


if __name__ == "__main__":
    RECORDED.write_text(
        json.dumps({name: measured(choices) for name, choices in SCENARIOS.items()}, indent=1) + "\n",
        encoding="utf-8",
    )
