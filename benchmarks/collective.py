"""Collective certificates beside the best attack found: the truth lies between.

    python -m benchmarks.collective [--programs 64] [mushroom:3 adult:1 …]

The plain sum of the honest among 100 equal nodes, without noise; a malicious node adds up to the mean size.
The attack is `gradient`, which knows everything, the test records included: the better of `--seeds` seeds.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np

from attacks.poison import Knowledge
from attacks.poisons.gradient import Gradient
from protocols.ring import Integers
from securenb.bayes.model import NaiveBayes
from securenb.bayes.pooled import Pooled
from securenb.certify.collective import certify_together
from securenb.data.dataset import load_dataset
from securenb.robust.rules.sum import Sum
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

NODES = 100
CASES = ("mushroom:1", "mushroom:3", "mushroom:5", "adult:1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=CASES, metavar="DATASET:MALICIOUS")
    parser.add_argument("--programs", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    print("| data | f | clean | pointwise | collective | attack | gap | programs, CPU |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in options.cases:
        name, _, malicious = case.partition(":")
        print(line(name, int(malicious), options.programs, range(options.seeds)), flush=True)


def line(name: str, malicious: int, programs: int, seeds: Sequence[int]) -> str:
    """One line of the table."""
    data = load_dataset(name, numeric="histogram")
    cap = -(-len(data.train) // NODES)
    tables = np.array([node.statistics(data.schema).table for node in data.deal(NODES, seed=0)])
    honest = tables[malicious:].sum(axis=0)
    begin = time.process_time()
    found = certify_together(model_of(data.schema, honest), data.test, malicious, cap, programs=programs)
    spent = time.process_time() - begin
    attack = found.clean
    known = Knowledge(data.schema, tables[:malicious], tables[malicious:], Sum(), 1, cap, NODES, data.test)
    for seed in seeds:
        forged = Gradient(records=len(data.test)).sent(known, np.random.default_rng(seed))
        attacked = honest + np.sum(np.array(forged, dtype=np.int64), axis=0)
        attack = min(attack, model_of(data.schema, attacked).balanced_score(data.test))
    assert found.at_least <= attack, f"the certificate {found.at_least} is above an attack: {attack}"
    scores = " | ".join(f"{score:.3f}" for score in (found.clean, found.pointwise, found.at_least, attack))
    gap = 100 * (attack - found.at_least)
    return f"| {name} | {malicious} | {scores} | {gap:.1f} | {found.programs}, {spent:.0f} s |"


def model_of(schema: Schema, table: Integers) -> NaiveBayes:
    pooled = Pooled(Statistics(schema, table), 1.0)
    return NaiveBayes(pooled.parameters(), pooled)


if __name__ == "__main__":
    main()
