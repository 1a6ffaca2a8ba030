"""What every protocol promises when parties fall silent and the network is bad.

Every pattern that leaves the threshold opens the exact sums of the survivors; every other ends in a typed
abort, or a lost group, of which nothing is released. Who falls silent when is drawn over the stages that each
party's own transcript shows.
"""

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

from protocols.engines.faults import NO_FAULTS, Faults, at_any_stage, before, within
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import Abort, TooFewParties
from protocols.grouping import one_group, shuffled, singletons
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity
from protocols.schemes.ideal import Ideal

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


@pytest.fixture(params=list(PROTOCOLS))
def protocol(request):
    return PROTOCOLS[request.param].for_tests()


@pytest.fixture(params=list(GROUPINGS))
def groups(request, protocol):
    chosen = GROUPINGS[request.param]
    if min(map(len, chosen)) < protocol.smallest_group:
        pytest.skip(f"declares {protocol.smallest_group} as its smallest group")
    return chosen


class Watched(Faults):
    """Notes whom the network has troubled: the node at one end of a frame, or else both ends."""

    def __init__(self, **faults):
        super().__init__(**faults)
        self.troubled = set()

    def carry(self, frame):
        now, later = super().carry(frame)
        if frame not in now:
            nodes = {frame.sender, frame.recipient} & set(NODES)
            self.troubled |= nodes or {frame.sender, frame.recipient}
        return now, later


def run_of(protocol, groups, faults=NO_FAULTS, seed=0):
    rng = np.random.default_rng(seed)
    top = CAPACITY.largest_input
    vectors = {node: rng.integers(-top, top, LENGTH, endpoint=True) for node in NODES}
    session = protocol.session(groups, LENGTH, CAPACITY, SESSION_ID)
    parties = protocol.parties(vectors, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults), vectors


def outcome(protocol, groups, faults, seed=0):
    """The run, and the members of each group that was opened; checks all that holds whatever happens."""
    run, vectors = run_of(protocol, groups, faults, seed)
    try:
        opened = run.run()
    except Abort:
        assert run.parties[AGGREGATOR].output is None
        return run, {}
    assert len(opened.rows) == len(opened.members) > 0
    found = {}
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


def check(protocol, groups, faults, seed=0):
    """Run, and check that what had to open did, with whom it had to, and what could not did not.

    Returns how many groups were opened, and how many had to be.
    """
    run, found = outcome(protocol, groups, faults, seed)
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


def turns_of(protocol, groups):
    """What each party says, and in how many turns, while nobody falls silent."""
    run, _ = run_of(protocol, groups)
    run.run()
    assert all(sum(tally.spoken) == tally.sent_messages for tally in run.transcript.tallies.values())
    return {party: run.transcript.tallies[party].spoken for party in run.parties}


def some(rng, parties, most):
    """At least one of the parties, at most `most`."""
    parties = list(parties)
    return [parties[i] for i in rng.permutation(len(parties))[: int(rng.integers(1, most + 1))]]


# who falls silent


def test_nodes_that_fall_silent_at_the_same_stage_cost_nobody_else(protocol, groups):
    rng = np.random.default_rng(23)
    turns = turns_of(protocol, groups)
    for stage in range(max(len(turns[node]) for node in NODES)):
        for cut in (False, True):
            silent = {}
            for group in groups:
                least = 2 if cut else 1
                able = [n for n in group if len(turns[n]) > stage and turns[n][stage] >= least]
                spare = len(group) - protocol.survivors(len(group))
                for node in some(rng, able, spare) if able and spare else []:
                    silent[node] = within(turns[node], stage, rng) if cut else before(turns[node], stage)
            if silent:
                run = check(protocol, groups, Faults(silent=silent))
                assert run["due"] == run["groups"]


def test_one_node_too_many_at_whatever_stage_costs_its_group_or_nothing(protocol, groups):
    rng = np.random.default_rng(29)
    turns = turns_of(protocol, groups)
    group = max(groups, key=len)
    many = len(group) - protocol.survivors(len(group)) + 1
    for stage in range(max(len(turns[node]) for node in group)):
        chosen = [group[i] for i in rng.permutation(len(group))[:many]]
        silent = {node: before(turns[node], min(stage, len(turns[node]))) for node in chosen}
        check(protocol, groups, Faults(silent=silent))
    nothing = check(protocol, groups, Faults(silent=dict.fromkeys(group[:many], 0)))
    assert nothing["opened"] < len(groups)


def test_trustees_and_the_aggregator_may_fall_silent_at_every_stage(protocol, groups):
    rng = np.random.default_rng(31)
    for party, spoken in turns_of(protocol, groups).items():
        if party in NODES:
            continue
        moments = [before(spoken, stage) for stage in range(len(spoken) or 1)]
        moments += [within(spoken, stage, rng) for stage in range(len(spoken)) if spoken[stage] > 1]
        for frames in moments:
            check(protocol, groups, Faults(silent={party: frames}))


def test_a_round_that_a_silent_trustee_ends_names_it(protocol, groups):
    for party, spoken in turns_of(protocol, groups).items():
        if party in {*NODES, AGGREGATOR}:
            continue
        for stage in range(len(spoken)):
            run, _ = run_of(protocol, groups, Faults(silent={party: before(spoken, stage)}))
            with suppress(TooFewParties):
                run.run()
            reason = "".join(stop.reason for stop in run.transcript.stops if stop.party == AGGREGATOR)
            assert party in reason or not reason, f"silent from stage {stage} on: {reason}"


def random_pattern(protocol, turns, rng):
    """Who falls silent when: a share of the nodes from 0 to 40 %, and now and then of the others."""
    rate = rng.uniform(0, 0.4)
    others = rate if rng.random() < 0.5 else 0.0
    return {
        party: at_any_stage(spoken, rng)
        for party, spoken in turns.items()
        if rng.random() < (rate if party in NODES else others)
    }


@pytest.mark.parametrize("grouping", list(GROUPINGS))
@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_random_patterns_open_what_they_must_and_nothing_else(name, grouping):
    protocol, groups = PROTOCOLS[name].for_tests(), GROUPINGS[grouping]
    if min(map(len, groups)) < protocol.smallest_group:
        pytest.skip(f"declares {protocol.smallest_group} as its smallest group")
    rng = np.random.default_rng([41, list(PROTOCOLS).index(name), list(GROUPINGS).index(grouping)])
    turns = turns_of(protocol, groups)
    total = Counter()
    for trial in range(30):
        faults = Watched(silent=random_pattern(protocol, turns, rng), rng=rng, reorder=True)
        total += check(protocol, groups, faults, trial)
    assert total["groups"] > total["opened"] >= total["due"] > 0


def test_silence_is_nobodys_fault(protocol, groups):
    rng = np.random.default_rng(43)
    turns = turns_of(protocol, groups)
    for _ in range(5):
        run, _ = outcome(protocol, groups, Faults(silent=random_pattern(protocol, turns, rng)))
        assert not run.transcript.blames


def test_it_opens_what_the_ideal_functionality_opens(protocol, groups):
    spared = [group[0] for group in groups if protocol.survivors(len(group)) < len(group)]
    silent = dict.fromkeys(spared, 0)
    run, vectors = run_of(protocol, groups, Faults(silent=silent))
    opened = run.run()
    session = Ideal(threshold=1).session(groups, LENGTH, CAPACITY, SESSION_ID)
    ideal = Ideal(threshold=1).open({n: v for n, v in vectors.items() if n not in silent}, session)
    assert opened.members == ideal.members
    assert np.array_equal(opened.rows, ideal.rows)


# a bad network


def test_repeats_and_another_order_cost_nobody(protocol, groups):
    for seed in range(3):
        faults = Faults(rng=np.random.default_rng(seed), repeat=0.3, reorder=True)
        _, found = outcome(protocol, groups, faults, seed)
        assert found == dict(enumerate(groups))


@pytest.mark.parametrize("fault", ["lose", "corrupt", "hold"])
def test_frames_that_are_lost_damaged_or_late_cost_only_those_whose_they_are(protocol, groups, fault):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        check(protocol, groups, Watched(rng=rng, reorder=True, **{fault: 0.03}), seed)


def test_a_bad_network_ends_in_exact_sums_or_a_typed_abort(protocol):
    for seed in range(12):
        groups = list(GROUPINGS.values())[seed % len(GROUPINGS)]
        if min(map(len, groups)) < protocol.smallest_group:
            groups = GROUPINGS["all"]
        rng = np.random.default_rng(seed)
        rate = (0.01, 0.05, 0.2)[seed // len(GROUPINGS) % 3]
        faults = Faults(
            silent=random_pattern(protocol, turns_of(protocol, groups), rng),
            rng=rng,
            lose=rate,
            repeat=rate,
            corrupt=rate,
            hold=rate,
            reorder=True,
        )
        outcome(protocol, groups, faults, seed)
