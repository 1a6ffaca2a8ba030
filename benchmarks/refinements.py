"""What each way to get more out of the same budget gains: centring, consistency, shrinkage, Skellam.

    python -m benchmarks.refinements

Prints a Markdown table: mean accuracy and balanced accuracy of `--seeds` seeds on the test records; 1 000
nodes in one group, shares sized to what `secagg` guarantees. The sum of statistics and of all noise is
taken without running a protocol, because every protocol opens exactly that sum (a contract test).
"""

import argparse
from dataclasses import replace

import numpy as np

from protocols.protocol import PROTOCOLS
from securenb.bayes.parameters import estimate
from securenb.data.dataset import load_dataset
from securenb.experiments.montecarlo import Scorer
from securenb.federation.postprocess import Refinement, variances
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import Rows
from securenb.robust.rules.sum import Sum
from securenb.schema.features import Numeric
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

NODES = 1000
DELTA = 1e-6
PLAIN = Refinement(consistency=False, shrinkage=False)
STEPS = (
    ("sums around zero", "discrete_laplace", False, PLAIN),
    ("centred", "discrete_laplace", True, PLAIN),
    ("centred, consistent", "discrete_laplace", True, Refinement(shrinkage=False)),
    ("centred, consistent, shrunk", "discrete_laplace", True, Refinement()),
    ("the same, Skellam", "skellam", True, Refinement()),
)
CASES = (
    ("mushroom", "gaussian", ("0.0316", "0.1", "1")),
    ("adult", "gaussian", ("0.1", "1")),
    ("adult", "histogram", ("0.0316", "0.1", "1")),
    ("breast_cancer", "gaussian", ("1", "3.16", "10", "31.6", "100")),
    ("digits", "gaussian", ("1", "10")),
    ("skin", "gaussian", ("0.001", "0.01")),
)


def uncentred(schema: Schema) -> Schema:
    """The same schema with sums around the lower bounds."""
    return replace(
        schema,
        features=tuple(
            replace(feature, centred=False) if isinstance(feature, Numeric) else feature
            for feature in schema.features
        ),
    )


def scores(
    schema: Schema,
    train: Records,
    test: Records,
    mechanism_name: str,
    epsilon: str,
    how: Refinement,
    seeds: int,
) -> tuple[float, float]:
    """Mean accuracy and mean balanced accuracy."""
    kind = MECHANISMS[mechanism_name]
    mechanism = kind.from_epsilon(epsilon, DELTA if kind.needs_delta else None)
    among = PROTOCOLS["secagg"]().survivors(NODES)
    exact = Statistics.of(schema, train).vector() * mechanism.grid
    noise, rule = variances(mechanism, schema, among, NODES)[None], Sum()
    tables = []
    for seed in range(seeds):
        share = mechanism.share(schema, among, FastNoise(np.random.default_rng(seed)), NODES)
        nearest = (2 * (exact + share) + mechanism.grid) // (2 * mechanism.grid)
        row = nearest.reshape(1, len(schema.classes), schema.width)
        tables.append(how.refine(Rows(schema, row, np.array([NODES])), noise, rule).tables[0])
    accuracy, balanced = Scorer.of(schema, test).accuracies(estimate(schema, np.array(tables)).table)
    return float(accuracy.mean()), float(balanced.mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=30)
    seeds = parser.parse_args().seeds
    print(f"| data, mode, epsilon | {' | '.join(name for name, *_ in STEPS)} |")
    print("| --- |" + " --- |" * len(STEPS))
    for dataset, numeric, epsilons in CASES:
        data = load_dataset(dataset, numeric=numeric)
        for epsilon in epsilons:
            cells = []
            for _, mechanism, centred, how in STEPS:
                schema = data.schema if centred else uncentred(data.schema)
                found = scores(schema, data.train, data.test, mechanism, epsilon, how, seeds)
                cells.append("{:.3f} / {:.3f}".format(*found))
            print(f"| {dataset}, {numeric}, {epsilon} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
