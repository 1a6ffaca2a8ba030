"""Accuracy that privacy leaves: one dose shared by all nodes beside a dose at every node, over N.

    python -m benchmarks.privacy
    python -m benchmarks.privacy --plot docs/privacy

Prints a Markdown table, or draws it over more numbers of nodes, beside a trusted curator, who adds one
dose to the exact sums, and the paper's release as published: mean of `--seeds` seeds on the test records.
It takes the sum of the statistics and of all nodes' noise without running a protocol, because every
protocol opens exactly that sum (a contract test). Shares count on the survivors that `secagg` guarantees,
and all nodes are there. Noise shares come from the fast sampler.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from protocols.opened import Opened
from protocols.protocol import PROTOCOLS
from securenb.bayes.model import NaiveBayes
from securenb.data.dataset import Dataset, load_dataset
from securenb.federation.postprocess import USUAL, variances
from securenb.paper.records import load_paper_data
from securenb.paper.trials import AsPublished
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.samplers import FastNoise
from securenb.report.charts import styled
from securenb.report.picture import save, specification
from securenb.robust.rule import Rows
from securenb.robust.rules.sum import Sum
from securenb.schema.statistics import Statistics


@dataclass(frozen=True)
class Case:
    """One line of the table for each number of nodes."""

    dataset: str
    numeric: str
    epsilon: str


CASES = (
    Case("mushroom", "gaussian", "0.1"),
    Case("mushroom", "gaussian", "1"),
    Case("adult", "gaussian", "1"),
    Case("adult", "histogram", "0.1"),
)


def scores(data: Dataset, case: Case, nodes: int, among: int, seeds: int) -> tuple[float, float, float]:
    """Mean accuracy, its standard error, and mean balanced accuracy."""
    schema = data.schema
    mechanism = DiscreteLaplace.from_epsilon(case.epsilon)
    exact = Statistics.of(schema, data.train).vector() * mechanism.grid
    noise = variances(mechanism, schema, among, nodes)[None]
    members = (tuple(f"node {index}" for index in range(nodes)),)
    accuracy, balanced, rule = [], [], Sum()
    for seed in range(seeds):
        share = mechanism.share(schema, among, FastNoise(np.random.default_rng(seed)), nodes)
        rows = Rows.of(schema, Opened((exact + share)[None], members, ()), mechanism.grid)
        model = NaiveBayes(rule.combine(USUAL.refine(rows, noise, rule)))
        accuracy.append(model.score(data.test))
        balanced.append(model.balanced_score(data.test))
    error = float(np.std(accuracy, ddof=1) / np.sqrt(seeds))
    return float(np.mean(accuracy)), error, float(np.mean(balanced))


PLOTTED = (10, 30, 100, 300, 1000)


def published(case: Case, seeds: int) -> list[tuple[float, float]]:
    """Mean accuracy of the paper's release as published, and its standard error, for each of `PLOTTED`."""
    data = load_paper_data(case.dataset, "as-published")
    trials = AsPublished(data, PLOTTED, [float(case.epsilon)], seed=0)
    found = [trials.scorer.accuracies(trials.parameters(seed)[1:])[0].ravel() for seed in range(seeds)]
    errors = np.std(found, axis=0, ddof=1) / np.sqrt(seeds)
    return list(zip(np.mean(found, axis=0).tolist(), errors.tolist(), strict=True))


def plot(folder: Path, seeds: int) -> None:
    """Draw `accuracy-over-nodes.png` into a folder."""
    parts = []
    for case in CASES:
        data = load_dataset(case.dataset, numeric=case.numeric)  # type: ignore[arg-type]
        survivors = PROTOCOLS["secagg"]().survivors
        lines = {
            "one dose, in shares": [scores(data, case, n, survivors(n), seeds)[:2] for n in PLOTTED],
            "a dose at every node": [scores(data, case, n, 1, seeds)[:2] for n in PLOTTED],
            "a trusted curator": [(scores(data, case, 1, 1, seeds)[0], 0.0)] * len(PLOTTED),
        }
        if case.numeric == "gaussian":
            lines["the paper, as published (not private)"] = published(case, seeds)
        title = f"{case.dataset.capitalize()}, {case.numeric}, epsilon {case.epsilon}"
        for label, found in lines.items():
            means, errors = np.array(found).T
            drawn = {"nodes": PLOTTED, "mean": means, "low": means - 2 * errors, "high": means + 2 * errors}
            parts.append(pd.DataFrame(drawn).assign(panel=title, line=label))
    frame = pd.concat(parts, ignore_index=True)
    base = alt.Chart(frame).encode(x=alt.X("nodes:Q", scale=alt.Scale(type="log")), color="line:N")
    means = base.mark_line(point=True).encode(y=alt.Y("mean:Q", title="test accuracy"))
    layers = alt.layer(base.mark_rule().encode(y="low:Q", y2="high:Q"), means, data=frame)
    panels = layers.properties(width=220, height=220).facet("panel:N", columns=len(CASES))
    folder.mkdir(exist_ok=True)
    save(specification(styled(panels, fit=False)), folder, "accuracy-over-nodes")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--plot", type=Path, help="a folder for a picture, instead of the table")
    arguments = parser.parse_args()
    if arguments.plot is not None:
        plot(arguments.plot, arguments.seeds)
        return
    print("| Data, mode, epsilon | N | shared dose: accuracy / balanced | a dose at every node |")
    print("| --- | --- | --- | --- |")
    for case in CASES:
        data = load_dataset(case.dataset, numeric=case.numeric)  # type: ignore[arg-type]
        label = f"{case.dataset}, {case.numeric}, {case.epsilon}"
        for nodes in arguments.nodes:
            shown = []
            for among in (PROTOCOLS["secagg"]().survivors(nodes), 1):
                mean, error, balanced = scores(data, case, nodes, among, arguments.seeds)
                shown.append(f"{mean:.3f} ± {error:.3f} / {balanced:.3f}")
            print(f"| {label} | {nodes:,} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
