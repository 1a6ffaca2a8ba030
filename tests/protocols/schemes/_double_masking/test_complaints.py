"""One malicious node, or m of them, cost a round themselves and at most as many honest nodes."""

import runpy
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from protocols.party import AGGREGATOR
from protocols.schemes._double_masking.complaints import leave_out
from protocols.schemes._double_masking.messages import (
    SEALED_BYTES,
    Complaint,
    MaskedVector,
    Participants,
    SealedShares,
    Survivors,
    Unmasking,
    pack_set,
    unpack_set,
)
from protocols.schemes.secagg import SecAgg
from protocols.schemes.secagg_plus import SecAggPlus

RULES = runpy.run_path(str(Path(__file__).parents[2] / "test_rules_of_secure_aggregation.py"))
Lab, replacing, instead_of = RULES["Lab"], RULES["replacing"], RULES["instead_of"]

PROFILES = ["malicious", "semi-honest"]


def garbage(rng, boxes=None):
    """Random bytes in place of some sealed boxes, or of all."""

    def change(body):
        count = len(body.sealed) // SEALED_BYTES
        sealed = [body.sealed[at * SEALED_BYTES : (at + 1) * SEALED_BYTES] for at in range(count)]
        for at in range(count) if boxes is None else boxes:
            sealed[at] = rng.bytes(SEALED_BYTES)
        return SealedShares(b"".join(sealed))

    return change


def blames(lab):
    """Who blames whom, all suspects of each blame together."""
    return [(by, {party, *others}) for by, party, others in lab.suspected]


def check(lab, opened, malicious):
    """The sum is exact, at most as many honest nodes as malicious ones are gone, and no blame is false."""
    gone = set(lab.nodes) - set(opened.members[0])
    assert (opened.rows[0] == lab.sum_of(opened.members[0])).all()
    assert len(gone - malicious) <= len(malicious)
    for by, suspects in blames(lab):
        if by not in malicious:
            assert suspects & malicious, (by, suspects)
    assert not [fault for fault in lab.faults if fault[1] == AGGREGATOR and fault[0] not in malicious]
    return gone


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("size", [7, 40])
def test_garbage_of_one_node_for_everybody_costs_that_node_alone(profile, size):
    lab = Lab(SecAgg(profile=profile), size)
    opened = lab.run(replacing(SealedShares, garbage(np.random.default_rng(1)), ["node-3"]))
    assert check(lab, opened, {"node-3"}) == {"node-3"}
    assert [suspects for by, suspects in blames(lab) if by == AGGREGATOR] == [{"node-3"}]
    # each reader names the two that it can have been
    assert {by for by, _ in blames(lab)} == {*lab.nodes, AGGREGATOR} - {"node-3"}
    assert all(suspects == {"node-3", AGGREGATOR} for by, suspects in blames(lab) if by != AGGREGATOR)


@pytest.mark.parametrize("good", [0, 1, 12, 13, 26, 27, 38, 39])
def test_however_many_boxes_are_garbage_the_round_ends_in_a_sum(good):
    lab = Lab(size=40)  # threshold 27, so before masking is the only time at which a complaint helps
    change = garbage(np.random.default_rng(1), range(good, 39))
    gone = check(lab, lab.run(replacing(SealedShares, change, ["node-3"])), {"node-3"})
    assert len(gone) == (0 if good == 39 else 1 if good < 39 - 6 else 2)


@pytest.mark.parametrize("profile", PROFILES)
def test_garbage_of_as_many_nodes_as_are_tolerated_costs_them_and_as_many_honest_ones(profile):
    rng = np.random.default_rng(3)
    for size in (10, 13, 40):
        lab = Lab(SecAgg(profile=profile), size)
        liars = lab.round.terms.liars
        assert lab.round.terms.threshold <= size - 2 * liars
        malicious = set(rng.choice(lab.nodes, liars, replace=False).tolist())

        def on_the_way(envelope, malicious=malicious, size=size):
            if envelope.sender in malicious and isinstance(envelope.body, SealedShares):
                boxes = rng.choice(size - 1, int(rng.integers(1, size)), replace=False)
                return [instead_of(envelope, garbage(rng, boxes)(envelope.body))]
            return [envelope]

        check(lab, lab.run(on_the_way), malicious)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("about", [1, 2, 5, 12])
def test_false_complaints_cost_the_liar_and_at_most_one_it_complains_about(profile, about):
    lab = Lab(SecAgg(profile=profile), 13)  # threshold 9, two liars
    victims = [node for node in range(13) if node != 3][:about]
    change = replacing(Complaint, lambda _: Complaint(pack_set(victims, 13)), ["node-3"])
    gone = check(lab, lab.run(change), {"node-3"})
    assert gone == ({"node-3"} if about > 2 else {"node-0", "node-3"})


def test_more_liars_than_are_tolerated_do_not_throw_out_everybody_else():
    """Seven nodes complain about all others, where the limit is six: counting would leave out 33."""
    lab = Lab(size=40)
    assert lab.round.terms.liars == 6
    malicious = set(lab.nodes[:7])

    def on_the_way(envelope):
        if envelope.sender in malicious and isinstance(envelope.body, Complaint):
            return [instead_of(envelope, Complaint(pack_set(range(7, 40), 40)))]
        return [envelope]

    assert check(lab, lab.run(on_the_way), malicious) == malicious


@pytest.mark.parametrize("wrong", ["itself", "nobody's", "longer"])
def test_a_complaint_about_what_was_not_delivered_is_refused_and_its_node_left_out(wrong):
    lab = Lab(size=10)
    about = {"itself": [3], "nobody's": [9], "longer": [0]}[wrong]

    def on_the_way(envelope):
        if envelope.sender == "node-9" and isinstance(envelope.body, SealedShares):
            return []  # it falls silent, so nothing of it is delivered
        if envelope.sender == "node-3" and isinstance(envelope.body, Complaint):
            packed = pack_set(about, 10) + b"\0" * (wrong == "longer")
            return [instead_of(envelope, Complaint(packed))]
        return [envelope]

    opened = lab.run(on_the_way)
    assert "node-3" not in opened.members[0]
    assert (AGGREGATOR, "node-3") in {fault[:2] for fault in lab.faults}


def test_complaints_that_leave_too_few_end_the_round_before_anything_is_released():
    lab = Lab(size=7)  # threshold 5, one liar
    malicious = {"node-0", "node-1", "node-2"}

    def on_the_way(envelope):
        if envelope.sender in malicious and isinstance(envelope.body, SealedShares):
            return [instead_of(envelope, garbage(np.random.default_rng(0))(envelope.body))]
        return [envelope]

    assert lab.run(on_the_way) is None
    assert "4 of 7 can read one another's shares, 5 needed" in str(lab.stopped[AGGREGATOR])
    assert not lab.bodies(MaskedVector)
    assert not any(party._releases._claimed for node, party in lab.parties.items() if node != AGGREGATOR)


def test_a_sparse_graph_goes_on_around_a_node_that_seals_garbage():
    lab = Lab(SecAggPlus(corrupt=0.0, dropout=0.1), size=110, length=2)
    assert lab.round.terms.neighbourhoods.holders < 110
    change = replacing(SealedShares, garbage(np.random.default_rng(1)), ["node-3"])
    assert check(lab, lab.run(change), {"node-3"}) == {"node-3"}


# what the aggregator may ask


def asked(change, size=10, fault=None):
    """A lab in which the aggregator asks node-0 to go on with others than it should."""
    lab = Lab(size=size)

    def on_the_way(envelope):
        if fault is not None and (replaced := fault(envelope)) is not None:
            return replaced
        if envelope.recipient == "node-0" and isinstance(envelope.body, Participants):
            members = unpack_set(envelope.body.members, size)
            return [instead_of(envelope, Participants(pack_set(change(members), size)))]
        return [envelope]

    lab.run(on_the_way)
    said = [type(envelope.body) for envelope in lab.sent if envelope.sender == "node-0"]
    return lab, said


def silent_nine(envelope):
    return [] if envelope.sender == "node-9" and isinstance(envelope.body, SealedShares) else None


def garbage_of_nine(envelope):
    if envelope.sender == "node-9" and isinstance(envelope.body, SealedShares):
        return [instead_of(envelope, SealedShares(bytes(len(envelope.body.sealed))))]
    return None


@pytest.mark.parametrize(
    ("fault", "change", "reason"),
    [
        (None, lambda told: told[1:], "node-0 itself is missing"),
        (silent_nine, lambda told: [*told, 9], "sent nothing this node can read"),
        (garbage_of_nine, lambda told: [*told, 9], "sent nothing this node can read"),
        (None, lambda told: told[:6], "a sum of 6 is asked for, 7 is the least"),
    ],
)
def test_a_node_masks_with_nobody_whom_it_cannot_have_agreed_with(fault, change, reason):
    lab, said = asked(change, fault=fault)
    assert MaskedVector not in said
    assert any(by == "node-0" and party == AGGREGATOR and reason in why for by, party, why in lab.faults)


def test_a_node_left_with_too_few_holders_masks_nothing():
    protocol = SecAggPlus(corrupt=0.0, dropout=0.1)
    lab = Lab(protocol, size=110, length=2)
    graph, threshold = protocol.graph(lab.session, 0)
    around = [node for node in graph.around(0) if node != 0]
    members = sorted(set(range(110)) - set(around[threshold - 2 :]))
    lab.run(replacing(Participants, lambda _: Participants(pack_set(members, 110)), ["node-0"]))
    assert f"{threshold - 1} holders go on, {threshold} needed" in str(lab.stopped["node-0"])
    assert not [e for e in lab.sent if e.sender == "node-0" and isinstance(e.body, MaskedVector)]


def test_survivors_lie_within_those_who_went_on():
    lab = Lab(size=10)

    def on_the_way(envelope):
        if isinstance(envelope.body, Participants):
            return [instead_of(envelope, Participants(pack_set(range(9), 10)))]
        if isinstance(envelope.body, Survivors):
            return [instead_of(envelope, Survivors(pack_set(range(10), 10)))]
        return [envelope]

    assert lab.run(on_the_way) is None
    assert {why for by, party, why in lab.faults if "did not go on" in why}
    assert not lab.bodies(Unmasking)


# the rule itself


def test_the_rule_leaves_out_a_vertex_cover_with_no_more_honest_nodes_than_malicious_ones():
    rng = np.random.default_rng(1)
    for _ in range(3000):
        size, liars = int(rng.integers(4, 30)), int(rng.integers(1, 6))
        malicious = set(rng.choice(size, min(liars, size), replace=False).tolist())
        rate = rng.choice([0.02, 0.1, 0.3, 0.6, 1])
        complaints = {node: set() for node in range(size)}
        for bad in malicious:
            for other in range(size):
                if other != bad and rng.random() < rate:
                    one, two = (bad, other) if rng.random() < 0.5 else (other, bad)
                    complaints[one].add(two)
        found = leave_out(complaints, liars)
        assert all({one, other} & found.nodes for one, others in complaints.items() for other in others)
        assert len(found.nodes - malicious) <= len(malicious)
        assert set(found.alone) <= malicious
        assert all(set(pair) & malicious for pair in found.pairs)
        assert len(found.nodes) == len(found.alone) + 2 * len(found.pairs)


def test_the_rule_by_hand():
    assert leave_out({}, 1).nodes == set()
    assert leave_out({0: [1]}, 1).pairs == ((0, 1),)
    assert leave_out({0: [1, 2]}, 1).alone == (0,)
    assert leave_out({1: [0], 2: [0]}, 1).alone == (0,)
    assert leave_out({0: [1], 1: [0]}, 1).pairs == ((0, 1),)  # both complain: one edge
    assert leave_out({0: [1], 2: [3]}, 2).pairs == ((0, 1), (2, 3))
    path = leave_out({0: [1], 1: [2], 2: [3]}, 2)
    assert (path.alone, path.pairs) == ((), ((0, 1), (2, 3)))
    assert leave_out({0: [1]}, 0).alone == (0,)


def test_every_small_graph_is_covered():
    edges = list(combinations(range(5), 2))
    for chosen in range(1 << len(edges)):
        graph = [edge for at, edge in enumerate(edges) if chosen >> at & 1]
        complaints = {node: [b for a, b in graph if a == node] for node in range(5)}
        for liars in range(4):
            found = leave_out(complaints, liars)
            assert all({a, b} & found.nodes for a, b in graph)
            if not graph:
                assert not found.nodes
