"""Rounds with drop-outs at every stage, bit for bit: `==` with the plain sum of the survivors, or an abort.

    python -m benchmarks.exactness                 # 10 000 rounds of 3 to 60 nodes
    python -m benchmarks.exactness --trials 200 --seed 7

Each trial draws the protocol, the profile, nodes, groups, coordinates up to the full capacity, a drop-out
rate from 0 to 40 % and the stage at which each silent node falls silent. Whether a group must open is
decided apart from the protocol, from who was silent when. Prints how many groups opened and were lost.
"""

import argparse
from collections import Counter

import numpy as np

from protocols.double_masking.protocol import DoubleMasking
from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import TooFewParties
from protocols.grouping import Groups, shuffled
from protocols.opened import Opened
from protocols.ring import Capacity
from protocols.schemes.secagg import SecAgg
from protocols.schemes.secagg_plus import SecAggPlus

FRAMES = {"lying": 5, "curious": 4}
"""What a node sends in a whole run; the vector is the third frame."""

VECTOR = 3


def drawn_protocol(rng: np.random.Generator) -> DoubleMasking:
    profile = "lying" if rng.random() < 0.5 else "curious"
    if rng.random() < 0.5:
        return SecAgg(profile=profile)
    return SecAggPlus(profile=profile, corrupt=0.0, dropout=0.0)


def expected(groups: Groups, frames: dict[str, int], protocol: DoubleMasking) -> dict[int, tuple[str, ...]]:
    """The groups that must open, and with whom: on the complete graph only the last stage's count matters."""
    last = FRAMES[protocol.profile]
    return {
        index: tuple(node for node in group if frames[node] >= VECTOR)
        for index, group in enumerate(groups)
        if sum(frames[node] >= last for node in group) >= protocol.survivors(len(group))
    }


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
    must = expected(groups, frames, protocol)
    assert (opened.members if opened else ()) == tuple(must.values()), (number, must)
    for row, members in zip(opened.rows if opened else (), must.values(), strict=True):
        assert row.tolist() == [sum(int(vectors[node][i]) for node in members) for i in range(length)], number
    return Counter(rounds=1, aborted=opened is None, opened=len(must), lost=len(groups) - len(must))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for number in range(options.trials):
        total += trial(options.seed, number)
    print(
        f"{total['rounds']} rounds exact, {total['aborted']} of them aborted as they must; "
        f"{total['opened']} groups opened, {total['lost']} lost"
    )


if __name__ == "__main__":
    main()
