"""What every protocol promises when parties fall silent and the network is bad.

Every pattern that leaves the threshold opens the exact sums of the survivors; every other ends in a typed
abort, or a lost group, of which nothing is released. Who falls silent when is drawn over the stages that each
party's own transcript shows.
"""

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

from benchmarks.drop_outs import (
    CAPACITY,
    GROUPINGS,
    LENGTH,
    NODES,
    SESSION_ID,
    Watched,
    check,
    outcome,
    random_pattern,
    run_of,
    trial,
    turns_of,
)
from protocols.engines.faults import Faults, before, within
from protocols.errors import TooFewParties
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS
from protocols.schemes.ideal import Ideal


@pytest.fixture(params=list(PROTOCOLS))
def protocol(request):
    return PROTOCOLS[request.param].for_tests()


@pytest.fixture(params=list(GROUPINGS))
def groups(request, protocol):
    chosen = GROUPINGS[request.param]
    if min(map(len, chosen)) < protocol.smallest_group:
        pytest.skip(f"declares {protocol.smallest_group} as its smallest group")
    return chosen


# who falls silent


def some(rng, parties, most):
    """At least one of the parties, at most `most`."""
    parties = list(parties)
    return [parties[i] for i in rng.permutation(len(parties))[: int(rng.integers(1, most + 1))]]


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


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_random_patterns_open_what_they_must_and_nothing_else(name):
    """A sample of the claim `drop_out_patterns`."""
    total = sum((trial(name, 7, number) for number in range(15)), Counter())
    assert total["groups"] > total["opened"] >= total["due"] > 0


def test_silence_is_nobodys_fault(protocol, groups):
    rng = np.random.default_rng(43)
    turns = turns_of(protocol, groups)
    for _ in range(5):
        run, _ = outcome(protocol, groups, Faults(silent=random_pattern(turns, rng)))
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
            silent=random_pattern(turns_of(protocol, groups), rng),
            rng=rng,
            lose=rate,
            repeat=rate,
            corrupt=rate,
            hold=rate,
            reorder=True,
        )
        outcome(protocol, groups, faults, seed)
