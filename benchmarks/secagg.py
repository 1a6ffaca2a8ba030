"""Secure aggregation against Flower's SecAgg+ on the same job, and at scale.

    python -m benchmarks.secagg --flower PYTHON              # n = 100: k = 20 neighbours
    python -m benchmarks.secagg --flower PYTHON --complete   # n = 100: all with all (minutes)
    python -m benchmarks.secagg --scale 1000,10000           # one process, 2 % silent nodes
    python -m benchmarks.secagg --ideal 100000               # the ideal functionality, 2 % silent nodes

Processor time. PYTHON is that of an environment in which flwr is installed; without it only our side is
printed. Ours is a whole run over the local engine, every message encoded, checked and decoded; a node's
figure is its own code, as is Flower's client's.
"""

import argparse
import json
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.grouping import one_group
from protocols.primitives.neighbour_plan import NeighbourPlan
from protocols.ring import Capacity
from protocols.schemes._double_masking.protocol import DoubleMasking
from protocols.schemes.ideal import Ideal
from protocols.schemes.secagg import SecAgg
from protocols.schemes.secagg_plus import SecAggPlus

LENGTH = 1000


@dataclass(frozen=True)
class TwentyNeighbours(SecAggPlus):
    """Fewer neighbours than the planner allows at n = 100: only for comparison with Flower at the same k."""

    def plan(self, size: int) -> NeighbourPlan:
        return NeighbourPlan(20, 15)


def measured(protocol: DoubleMasking, nodes: int, silent: float, seed: int) -> dict[str, float]:
    """One round: seconds a node and of the aggregator, bytes up, whether the sum is exact."""
    rng = np.random.default_rng(seed)
    names = [f"node-{index}" for index in range(nodes)]
    vectors = {name: rng.integers(-1000, 1000, LENGTH) for name in names}
    quiet = rng.choice(names, int(silent * nodes), replace=False)
    begin = time.process_time()
    session = protocol.session(one_group(names), LENGTH, Capacity(1000, nodes), bytes(16))
    parties = protocol.parties(vectors, session, seeded(seed))
    faults = Faults(silent={str(name): int(rng.integers(3)) for name in quiet})
    run = LocalRun(parties, protocol.codec(session), session, faults)
    opened = run.run()
    total = time.process_time() - begin
    exact = np.array_equal(opened.rows[0], sum(vectors[name] for name in opened.members[0]))
    assert exact, "the sum is not exact"
    return {
        "client": run.transcript.mean("node", "cpu"),
        "server": run.transcript.mean("aggregator", "cpu"),
        "upload": run.transcript.mean("node", "sent"),
        "total": total,
    }


def flower(python: str | None, shares: int, threshold: int) -> dict[str, float] | None:
    """The same job with Flower; `None`, and a line saying why, if there is no Flower to measure."""
    if python is None:
        print("Flower was not measured: name the Python of an environment with flwr, --flower PYTHON")
        return None
    shape = {"nodes": 100, "length": LENGTH, "shares": shares, "threshold": threshold}
    arguments = [text for name, value in shape.items() for text in (f"--{name}", str(value))]
    script = str(Path(__file__).with_name("flower_secagg.py"))
    try:
        done = subprocess.run([python, script, *arguments], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        print(f"Flower was not measured: there is no {python}")
        return None
    except subprocess.CalledProcessError as error:
        print(f"Flower was not measured: {error.stderr.strip().splitlines()[-1]}")
        return None
    result: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def shown(name: str, ours: dict[str, float], theirs: dict[str, float] | None) -> None:
    line = f"{name:<32} client {1e3 * ours['client']:8.2f} ms  server {ours['server']:7.3f} s  "
    line += f"up {ours['upload']:8,.0f} B"
    if theirs:
        ratios = [theirs[part] / ours[part] for part in ("client", "server", "upload")]
        line += "   Flower: " + "  ".join(f"{ratio:,.1f}×" for ratio in ratios)
    print(line)


def compare_sizes(sizes: list[int], seed: int) -> None:
    """The planner's own graph at each size, with every fiftieth node silent."""
    costs = []
    for nodes in sizes:
        ours = measured(SecAggPlus(profile="semi-honest"), nodes, 0.02, seed)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        shown(f"semi-honest n={nodes}, 2 % silent", ours, None)
        print(f"{'':<32} all parties {ours['total']:.1f} s CPU, peak {peak:.2f} GB")
        costs.append(ours["total"] / nodes)
    print(f"a node's share of it all, dearest over cheapest size: {max(costs) / min(costs):.2f}")


def open_ideally(nodes: int, seed: int) -> None:
    """What a simulation pays: session, checks and sums of `Ideal.open`, for vectors that are there."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1000, 1000, (nodes, LENGTH))
    names = [f"node-{index}" for index in range(nodes)]
    vectors = {names[index]: rows[index] for index in np.sort(rng.permutation(nodes)[nodes // 50 :])}
    begin = time.process_time()
    protocol = Ideal()
    session = protocol.session(one_group(names), LENGTH, Capacity(1000, nodes), bytes(16))
    opened = protocol.open(vectors, session)
    spent = time.process_time() - begin
    assert len(opened.members[0]) == len(vectors) == nodes - nodes // 50
    assert np.array_equal(opened.rows[0], sum(vectors.values())), "the sum is not exact"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"ideal n={nodes}, 2 % silent: {spent:.2f} s CPU, peak {peak:.2f} GB with the vectors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flower")
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--scale", default="")
    parser.add_argument("--ideal", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if options.scale:
        compare_sizes([int(nodes) for nodes in options.scale.split(",")], options.seed)
        return
    if options.ideal:
        open_ideally(options.ideal, options.seed)
        return
    if options.complete:
        scheme, shape, theirs = SecAgg, "complete", flower(options.flower, shares=100, threshold=67)
    else:
        scheme, shape, theirs = TwentyNeighbours, "k=20", flower(options.flower, shares=21, threshold=14)
    for profile in ("malicious", "semi-honest"):
        shown(f"{shape} n=100, {profile}", measured(scheme(profile=profile), 100, 0, options.seed), theirs)


if __name__ == "__main__":
    main()
