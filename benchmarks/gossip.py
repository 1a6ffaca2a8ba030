"""Gossip by topology: rounds, messages and relative error, with and without nodes that leave.

    python -m benchmarks.gossip                    # 100 nodes, 20 coordinates, seed 7
    python -m benchmarks.gossip --nodes 30 --degree 6 --seed 1

The first table is push-sum in floating point; the second is what the protocol `gossip` plans so that every
node's sum is exact, for vectors within 2^40. Nothing is timed.
"""

import argparse
from typing import get_args

import numpy as np

from protocols.engines.gossip_rounds import push_sum
from protocols.primitives.push_sum import schedule
from protocols.primitives.topology import Topology, neighbours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--degree", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    seed = options.seed.to_bytes(8, "big")
    vectors = np.random.default_rng(options.seed).poisson(20, (options.nodes, 20)).astype(float)

    print("| topology | leave per round | rounds to 1 % | to 1e-6 | messages a node | error in the end |")
    print("| --- | --- | --- | --- | --- | --- |")
    for topology in get_args(Topology):
        graph = neighbours(topology, options.nodes, options.degree, seed)
        for leave in (0.0, 0.001, 0.01):
            rng = np.random.default_rng(options.seed)
            trace = push_sum(vectors, graph, options.rounds, rng, leave)
            reached = [str(trace.rounds_to(error) or "never") for error in (1e-2, 1e-6)]
            pushed = f"{trace.messages / options.nodes:.0f}"
            cells = (topology, f"{leave:.1%}", *reached, pushed, f"{trace.errors[-1]:.1e}")
            print(f"| {' | '.join(cells)} |")

    print("\n| topology | planned rounds = messages a node |")
    print("| --- | --- |")
    for topology in get_args(Topology):
        try:
            planned = str(schedule(topology, options.nodes, options.degree, 1 << 40, seed).rounds)
        except ValueError as error:
            planned = f"refused: {error}"
        print(f"| {topology} | {planned} |")


if __name__ == "__main__":
    main()
