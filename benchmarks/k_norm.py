"""What one radius for all that a record moves gains over noise query by query, at pure epsilon.

    python -m benchmarks.k_norm

Prints a Markdown table: mean accuracy and balanced accuracy of `--seeds` seeds on the test records, with the
95 % interval of the mean of the latter. Whole rounds of two nodes, without messages: a curator adds one dose,
the two aggregators of `verified` one each.
"""

import argparse
from typing import Any

import numpy as np

from securenb.data.dataset import load_dataset
from securenb.experiments.intervals import mean_interval
from securenb.experiments.scenario import Scenario
from securenb.privacy.mechanisms.k_norm import KNorm

CASES = (
    ("spect", "1"),
    ("breast_cancer", "1"),
    ("breast_cancer", "3.16"),
    ("digits", "1"),
    ("digits", "3.16"),
    ("adult", "0.1"),
    ("adult", "1"),
    ("skin", "0.001"),
    ("mushroom", "0.1"),
    ("phishing", "0.1"),
)
ARMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("discrete_laplace, one dose", {"protocol": "ideal", "curator": True}),
    ("k_norm, one dose", {"protocol": "ideal", "curator": True, "mechanism": "k_norm"}),
    ("discrete_laplace, two doses", {"protocol": "verified"}),
    ("k_norm, two doses", {"protocol": "verified", "mechanism": "k_norm"}),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--only", default="", help="a data set")
    asked = parser.parse_args()
    print(f"| data, epsilon | split | {' | '.join(name for name, _ in ARMS)} |")
    print("| --- | --- |" + " --- |" * len(ARMS))
    for name, epsilon in CASES:
        if asked.only not in ("", name):
            continue
        data = load_dataset(name)
        cells = []
        for _, arm in ARMS:
            found = []
            for seed in range(asked.seeds):
                more = {"record_cap": len(data.train)} if arm["protocol"] == "verified" else {}
                scenario = Scenario.checked(
                    dataset=name,
                    nodes=2,
                    epsilon=epsilon,
                    seed=seed,
                    **arm,
                    **more,
                )
                model = scenario.federation(data).run(scenario.deal(data), by="ideal").model
                found.append((model.score(data.test), model.balanced_score(data.test)))
            accuracy, balanced = np.array(found).T
            mean = mean_interval(balanced)
            cells.append(f"{accuracy.mean():.3f} / {mean.middle:.3f} ({mean.low:.3f} to {mean.high:.3f})")
        box, _ = KNorm.from_epsilon(1).parts(data.schema)
        print(f"| {name}, {epsilon} | {float(box):g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
