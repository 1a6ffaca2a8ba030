"""Rounds with drop-outs at every stage, bit for bit: `==` with the plain sum of the survivors, or an abort.

    python -m benchmarks.exactness                 # 10 000 rounds of 3 to 60 nodes
    python -m benchmarks.exactness --first 5000              # the second half of them
    python -m benchmarks.exactness --trials 200 --seed 7

Each trial draws the protocol, the profile, the graph, nodes, groups, coordinates up to the full capacity, a
drop-out rate from 0 to 40 % and, over all stages, when each silent node falls silent. Whether a group must
open is decided apart from the protocol, from who was silent when. Prints how many groups opened and were
lost, and how many nodes fell silent at each stage.
"""

import argparse
from collections import Counter
from dataclasses import dataclass

import numpy as np

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import TooFewParties
from protocols.grouping import shuffled
from protocols.opened import Opened
from protocols.primitives.neighbour_plan import NeighbourPlan
from protocols.ring import Capacity
from protocols.schemes._double_masking.protocol import DoubleMasking
from protocols.schemes.secagg import SecAgg
from protocols.schemes.secagg_plus import SecAggPlus
from protocols.session import Session

FRAMES = {"malicious": 6, "semi-honest": 5}
"""What a node sends in a whole run, a frame a stage: keys, shares, complaint, vector, (proofs,) unmasking."""


@dataclass(frozen=True)
class Sparse(SecAggPlus):
    """Few neighbours in groups so small that the planner takes all: more ways to lose a group.

    Parameters
    ----------
    neighbours
        Even; fewer in groups that have not as many.
    """

    corrupt: float = 0.0
    dropout: float = 0.0
    neighbours: int = 4

    def plan(self, size: int) -> NeighbourPlan | None:
        """The fewest holders that rebuild a secret in this profile; all of them below six nodes."""
        neighbours = min(self.neighbours, (size - 1) // 2 * 2)
        holders = neighbours + 1
        threshold = 2 * holders // 3 + 1 if self.profile == "malicious" else holders // 2 + 1
        return NeighbourPlan(neighbours, threshold) if size > 5 else None


def drawn_protocol(rng: np.random.Generator) -> DoubleMasking:
    profile = "malicious" if rng.random() < 0.5 else "semi-honest"
    match int(rng.integers(3)):
        case 0:
            return SecAgg(profile=profile)
        case 1:
            return SecAggPlus(profile=profile, corrupt=0.0, dropout=0.0)
        case _:
            return Sparse(profile=profile, neighbours=int(2 * rng.integers(2, 13)))


def summed(
    protocol: DoubleMasking, session: Session, index: int, frames: dict[str, int]
) -> tuple[str, ...] | None:
    """Who is summed in a group, from the frames that each node sends; `None` if the group must be lost."""
    group = session.groups[index]
    graph, threshold = protocol.graph(session, index)
    around = [set(graph.around(node)) for node in range(len(group))]

    def sending(frame: int, among: set[int]) -> set[int]:
        return {node for node in among if frames[group[node]] >= frame}

    def reached(among: set[int]) -> set[int]:
        return {node for node in among if len(around[node] & among) >= threshold}

    advertised = sending(1, set(range(len(group))))
    shared = sending(2, reached(advertised))
    going = sending(3, reached(shared))
    masked = sending(4, reached(going))
    if min(map(len, (advertised, shared, going, masked))) < protocol.survivors(len(group)):
        return None
    last = sending(FRAMES[protocol.profile], masked)
    secrets = masked | {node for node in going - masked if around[node] & masked}
    if any(len(around[node] & last) < threshold for node in secrets):
        return None
    return tuple(group[node] for node in sorted(masked))


def trial(seed: int, number: int) -> Counter[str]:
    """One round; raises `AssertionError` if a single bit is wrong."""
    rng = np.random.default_rng([seed, number])
    protocol = drawn_protocol(rng)
    size = int(rng.integers(3, 61))
    nodes = [f"node-{i}" for i in range(size)]
    groups = shuffled(nodes, int(rng.integers(3, size + 1)), rng)
    capacity = Capacity(bound=int(rng.integers(1, (1 << 62) // size)), nodes=size)
    length = int(rng.integers(1, 20))
    vectors = {node: rng.integers(-capacity.bound, capacity.bound, length, endpoint=True) for node in nodes}
    last = FRAMES[protocol.profile]
    rate = rng.uniform(0, 0.4)
    frames = {node: int(rng.integers(last)) if rng.random() < rate else last for node in nodes}
    session = protocol.session(groups, length, capacity, rng.bytes(16))
    silent = {node: count for node, count in frames.items() if count < last}
    parties = protocol.parties(vectors, session, seeded(number))
    run = LocalRun(parties, protocol.codec(session), session, Faults(silent))
    opened: Opened | None
    try:
        opened = run.run()
    except TooFewParties:
        opened = None
    assert not run.transcript.blames, run.transcript.blames
    due = {index: summed(protocol, session, index, frames) for index in range(len(groups))}
    must = {index: members for index, members in due.items() if members is not None}
    assert (opened.members if opened else ()) == tuple(must.values()), (number, must)
    for row, members in zip(opened.rows if opened else (), must.values(), strict=True):
        assert row.tolist() == [sum(int(vectors[node][i]) for node in members) for i in range(length)], number
    total = Counter(rounds=1, aborted=opened is None, opened=len(must), lost=len(groups) - len(must))
    return total + Counter(f"silent after {count} of {last} frames" for count in silent.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for number in range(options.first, options.trials):
        total += trial(options.seed, number)
    print(
        f"{total['rounds']} rounds exact, {total['aborted']} of them aborted as they must; "
        f"{total['opened']} groups opened, {total['lost']} lost"
    )
    for stage in sorted(stage for stage in total if stage.startswith("silent")):
        print(f"{total[stage]} nodes {stage}")


if __name__ == "__main__":
    main()
