"""Random drop-outs over all protocols: no wrong sum, no false blame, no uncaught exception.

    python -m benchmarks.drop_outs --patterns 10000 --seed 7
    python -m benchmarks.drop_outs --protocol secagg --patterns 100 --first 300

In each trial a share of the nodes from 0 to 40 %, and now and then of the others, falls silent at a stage
drawn over what each party says when all are there; messages arrive in any order, and in one trial of four
the network also loses, repeats, damages and holds back frames. A trial that fails prints its number.
"""

import argparse
from collections import Counter
from functools import cache

import numpy as np

from protocols.engines.faults import NO_FAULTS, Faults, at_any_stage
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.grouping import Groups, one_group, shuffled, singletons
from protocols.party import AGGREGATOR, PartyId
from protocols.protocol import PROTOCOLS, Protocol
from protocols.ring import Capacity, Integers

NODES = tuple(f"node-{i}" for i in range(7))
CAPACITY = Capacity(bound=1000, nodes=len(NODES), tail=50)
SESSION_ID = bytes(range(16))
LENGTH = 3

GROUPINGS = {
    "all": one_group(NODES),
    "singletons": singletons(NODES),
    "groups of 3": shuffled(NODES, 3, np.random.default_rng(5)),
}
"""Shuffled groups of 3 among 7 nodes have 3 and 4."""


class Watched(Faults):
    """Notes whom the network has troubled: the node at one end of a frame, or else both ends."""

    troubled: set[PartyId]

    def carry(self, frame: Frame) -> tuple[list[Frame], list[Frame]]:
        now, later = super().carry(frame)
        if frame not in now:
            nodes = {frame.sender, frame.recipient} & set(NODES)
            self.troubled |= nodes or {frame.sender, frame.recipient}
        return now, later

    def __post_init__(self) -> None:
        super().__post_init__()
        self.troubled = set()


def run_of(
    protocol: Protocol, groups: Groups, faults: Faults = NO_FAULTS, seed: int = 0
) -> tuple[LocalRun, dict[PartyId, Integers]]:
    rng = np.random.default_rng(seed)
    top = CAPACITY.largest_input
    vectors = {node: rng.integers(-top, top, LENGTH, endpoint=True) for node in NODES}
    session = protocol.session(groups, LENGTH, CAPACITY, SESSION_ID)
    parties = protocol.parties(vectors, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults), vectors


def outcome(
    protocol: Protocol, groups: Groups, faults: Faults, seed: int = 0
) -> tuple[LocalRun, dict[int, tuple[PartyId, ...]]]:
    """The run, and the members of each group that was opened; checks all that holds whatever happens."""
    run, vectors = run_of(protocol, groups, faults, seed)
    try:
        opened = run.run()
    except Abort:
        assert run.parties[AGGREGATOR].output is None
        return run, {}
    assert len(opened.rows) == len(opened.members) > 0
    found: dict[int, tuple[PartyId, ...]] = {}
    for row, members in zip(opened.rows, opened.members, strict=True):
        (index,) = [at for at, group in enumerate(groups) if set(members) <= set(group)]
        assert index not in found
        assert len(set(members)) == len(members) >= protocol.survivors(len(groups[index]))
        assert row.tolist() == [
            sum(column) for column in zip(*(vectors[m].tolist() for m in members), strict=True)
        ]
        found[index] = members
    assert sorted([*found, *(lost.group for lost in opened.lost)]) == list(range(len(groups)))
    return run, found


def check(protocol: Protocol, groups: Groups, faults: Faults, seed: int = 0) -> Counter[str]:
    """Run, and check that what had to open did, with whom it had to, and what could not did not.

    Silence is no fault: on a network that only reorders, no party is blamed.
    Returns how many groups were opened, and how many had to be.
    """
    run, found = outcome(protocol, groups, faults, seed)
    if not (faults.lose or faults.repeat or faults.corrupt or faults.hold):
        assert not run.transcript.blames, (faults.silent, run.transcript.blames)
    troubled = set(faults.silent) | getattr(faults, "troubled", set())
    if AGGREGATOR in troubled:
        said = run.transcript.tallies[AGGREGATOR].sent_messages
        assert not found or said < faults.silent.get(AGGREGATOR, said + 1)  # it never came to fall silent
        return Counter()
    spared = protocol.spares([party for party in run.parties if party in troubled - set(NODES)])
    due = 0
    for index, group in enumerate(groups):
        fewest = protocol.survivors(len(group))
        lasting = [node for node in group if node not in troubled]
        if spared and len(lasting) >= fewest:
            assert set(lasting) <= set(found.get(index, ())), (index, faults.silent, run.transcript.stops)
            due += 1
        if sum(faults.silent.get(node) != 0 for node in group) < fewest:
            assert index not in found, faults.silent
    return Counter(groups=len(groups), opened=len(found), due=due)


def turns_of(protocol: Protocol, groups: Groups) -> dict[PartyId, list[int]]:
    """What each party says, and in how many turns, while none falls silent."""
    run, _ = run_of(protocol, groups)
    run.run()
    assert all(sum(tally.spoken) == tally.sent_messages for tally in run.transcript.tallies.values())
    return {party: run.transcript.tallies[party].spoken for party in run.parties}


def random_pattern(turns: dict[PartyId, list[int]], rng: np.random.Generator) -> dict[PartyId, int]:
    """Who falls silent when: a share of the nodes from 0 to 40 %, and now and then of the others."""
    rate = rng.uniform(0, 0.4)
    others = rate if rng.random() < 0.5 else 0.0
    return {
        party: at_any_stage(spoken, rng)
        for party, spoken in turns.items()
        if rng.random() < (rate if party in NODES else others)
    }


@cache
def _cases(name: str) -> tuple[tuple[Protocol, Groups, dict[PartyId, list[int]]], ...]:
    protocol = PROTOCOLS[name].for_tests()
    run = [groups for groups in GROUPINGS.values() if min(map(len, groups)) >= protocol.smallest_group]
    return tuple((protocol, groups, turns_of(protocol, groups)) for groups in run)


def trial(name: str, seed: int, number: int) -> Counter[str]:
    """One pattern; raises `AssertionError` for what must not be, and whatever escapes a party."""
    rng = np.random.default_rng([seed, *name.encode(), number])
    protocol, groups, turns = _cases(name)[number % len(_cases(name))]
    rate = (0.01, 0.05, 0.2)[number // 4 % 3] if number % 4 == 3 else 0.0
    bad = {kind: rate for kind in ("lose", "repeat", "corrupt", "hold") if rate}
    faults = Watched(silent=random_pattern(turns, rng), rng=rng, reorder=True, **bad)
    try:
        if rate:
            _, found = outcome(protocol, groups, faults, number)
            total = Counter(groups=len(groups), opened=len(found))
        else:
            total = check(protocol, groups, faults, number)
    except Exception as error:
        error.add_note(f"{name}, seed {seed}, pattern {number}")
        raise
    return total + Counter(patterns=1, bad_network=int(rate > 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patterns", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--protocol", choices=list(PROTOCOLS))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    names = [options.protocol] if options.protocol else list(PROTOCOLS)
    everything: Counter[str] = Counter()
    each = -(-options.patterns // len(names))
    for name in names:
        trials = range(options.first, options.first + each)
        total = sum((trial(name, options.seed, number) for number in trials), Counter[str]())
        print(f"{name:<20} {', '.join(f'{count:,} {what}' for what, count in total.items())}", flush=True)
        everything += total
    print(f"{everything['patterns']:,} patterns: no wrong sum, no false blame, no uncaught exception")


if __name__ == "__main__":
    main()
