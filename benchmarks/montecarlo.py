"""The fast engine against a straightforward implementation of the paper's experiment, on the same trials.

    python -m benchmarks.montecarlo                  # all six data sets, all arms, all privacy levels
    python -m benchmarks.montecarlo --datasets votes spect --trials 200

Processor time of one process and one thread. The straightforward side is the oracle of the tests: it deals,
lets every node answer and scores training and test records with scikit-learn, one trial, number of nodes and
privacy level after the other, as the authors' scripts do. Both sides draw the same streams.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from securenb.experiments.montecarlo import run_trials
from securenb.paper.records import PAPER_DATASETS, load_paper_data
from securenb.paper.trials import EPSILONS, AsPublished, numbers_of_nodes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "securenb" / "paper"))
import oracle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=list(PAPER_DATASETS))
    parser.add_argument("--trials", type=int, default=20, help="of the fast engine")
    parser.add_argument("--slow-trials", type=int, default=1, help="of the straightforward one")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    print("processor ms a trial: all arms (centralised, N = 10, 100, 1000 where possible), seven epsilons")
    print(f"{'data set':<14} {'per node':>10} {'engine':>8} {'ratio':>8}   largest difference of an accuracy")
    totals = np.zeros(2)
    for name in given.datasets:
        data = load_paper_data(name, "as-published")
        nodes = numbers_of_nodes(len(data.train))
        experiment = AsPublished(data, nodes, EPSILONS, given.seed)
        run_trials(experiment, range(1))
        begin = time.process_time()
        fast = run_trials(experiment, range(given.trials))[0]
        engine = (time.process_time() - begin) / given.trials
        slow = np.empty((given.slow_trials, *fast.shape[1:]))
        begin = time.process_time()
        for trial in range(given.slow_trials):
            for column, epsilon in enumerate(EPSILONS):
                scores = oracle.trial(data, None, epsilon, None, experiment.stream(trial, "centralised"))
                slow[trial, 0, column] = scores[2]
                for arm, count in enumerate(nodes, start=1):
                    deal, noise = experiment.stream(trial, "deal"), experiment.stream(trial, "noise", count)
                    slow[trial, arm, column] = oracle.trial(data, count, epsilon, deal, noise)[2]
        per_node = (time.process_time() - begin) / given.slow_trials
        totals += per_node, engine
        difference = np.abs(slow - fast[: given.slow_trials]).max()
        show(name, per_node, engine, f"   {difference:.1e}")
    show("all", totals[0], totals[1])


def show(name: str, per_node: float, engine: float, more: str = "") -> None:
    print(f"{name:<14} {1e3 * per_node:>10.1f} {1e3 * engine:>8.2f} {per_node / engine:>7.0f}×{more}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
