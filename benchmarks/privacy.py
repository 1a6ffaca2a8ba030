"""Accuracy that privacy leaves: one dose shared by all nodes beside a dose at every node, over N.

    python -m benchmarks.privacy

Prints a Markdown table: mean of `--seeds` seeds on the test records. It takes the sum of the statistics and
of all nodes' noise without running a protocol, because every protocol opens exactly that sum (a contract
test). Shares count on the survivors that `secagg` guarantees, and all nodes are there. Noise shares come
from the fast sampler.
"""

import argparse
from dataclasses import dataclass

import numpy as np

from protocols.opened import Opened
from protocols.protocol import PROTOCOLS
from securenb.dataset import Dataset, load_dataset
from securenb.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.model import NaiveBayes
from securenb.noise import FastNoise
from securenb.refine import Refinement, variances
from securenb.rule import Rows
from securenb.rules.sum import Sum
from securenb.statistics import Statistics


@dataclass(frozen=True)
class Case:
    """One line of the table for each number of nodes."""

    dataset: str
    numeric: str
    epsilon: str
    shrinkage: bool = False


CASES = (
    Case("mushroom", "gaussian", "0.1"),
    Case("mushroom", "gaussian", "1"),
    Case("adult", "gaussian", "1"),
    Case("adult", "histogram", "0.1"),
    Case("adult", "histogram", "0.1", shrinkage=True),
)


def scores(data: Dataset, case: Case, nodes: int, among: int, seeds: int) -> tuple[float, float, float]:
    """Mean accuracy, its standard error, and mean balanced accuracy."""
    schema = data.schema
    mechanism = DiscreteLaplace.from_epsilon(case.epsilon)
    exact = Statistics.of(schema, data.train).vector() * mechanism.grid
    noise = variances(mechanism, schema, among, nodes)[None]
    members = (tuple(f"node {index}" for index in range(nodes)),)
    accuracy, balanced = [], []
    for seed in range(seeds):
        share = mechanism.share(schema, among, FastNoise(np.random.default_rng(seed)), nodes)
        rows = Rows.of(schema, Opened((exact + share)[None], members, ()), mechanism.grid)
        refined = Refinement(shrinkage=case.shrinkage).refine(rows, noise, pool=True)
        model = NaiveBayes(Sum().combine(refined))
        accuracy.append(model.score(data.test))
        balanced.append(model.balanced_score(data.test))
    error = float(np.std(accuracy, ddof=1) / np.sqrt(seeds))
    return float(np.mean(accuracy)), error, float(np.mean(balanced))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 100, 1000])
    arguments = parser.parse_args()
    print("| Data, mode, epsilon | N | shared dose: accuracy / balanced | a dose at every node |")
    print("| --- | --- | --- | --- |")
    for case in CASES:
        data = load_dataset(case.dataset, numeric=case.numeric)  # type: ignore[arg-type]
        label = f"{case.dataset}, {case.numeric}{', shrinkage' if case.shrinkage else ''}, {case.epsilon}"
        for nodes in arguments.nodes:
            shown = []
            for among in (PROTOCOLS["secagg"]().survivors(nodes), 1):
                mean, error, balanced = scores(data, case, nodes, among, arguments.seeds)
                shown.append(f"{mean:.3f} ± {error:.3f} / {balanced:.3f}")
            print(f"| {label} | {nodes:,} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
