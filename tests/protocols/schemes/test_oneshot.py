from itertools import combinations

import numpy as np
import pytest

from protocols.engines.faults import Faults
from protocols.engines.local import LocalRun
from protocols.entropy import seeded
from protocols.errors import Abort, TooFewParties
from protocols.party import AGGREGATOR, Envelope
from protocols.primitives.box import BoxKey
from protocols.primitives.mask import subtract_mask
from protocols.ring import Capacity, from_bytes, to_ring
from protocols.schemes._committee import Key, PartSums, Report, Request, Seeds
from protocols.schemes.oneshot import Masked, OneShot

NODES = tuple("abcdefg")
LENGTH = 3
VECTORS = {node: np.array([i, -i, 100 * i]) for i, node in enumerate(NODES)}
HOLDERS = tuple(f"holder-{i}" for i in range(1, 6))


def session_of(protocol, groups=(NODES,)):
    return protocol.session(groups, LENGTH, Capacity(10**6, 7), bytes(16))


def run_of(protocol, faults=None, groups=(NODES,), **deviating):
    """A run in which what the named parties say goes through a function of envelope."""
    session = session_of(protocol, groups)
    parties = protocol.parties(VECTORS, session, seeded(1))
    for name, change in deviating.items():
        deviate(parties[name.replace("_", "-")], change)
    return LocalRun(parties, protocol.codec(session), session, faults or Faults())


def deviate(party, change):
    for question in ("start", "handle", "deadline"):
        honest = getattr(party, question)
        setattr(party, question, lambda *a, honest=honest: [x for e in honest(*a) for x in change(e)])


def replaced(envelope, body):
    return Envelope(envelope.sender, envelope.recipient, body)


def assert_sum(opened, members):
    assert opened.members == (tuple(members),)
    assert opened.rows.tolist() == [sum(VECTORS[node] for node in members).tolist()]


@pytest.mark.parametrize(("holders", "quorum"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (5, 5), (7, 4)])
def test_any_committee_opens_the_sum(holders, quorum):
    protocol = OneShot(holders=holders, quorum=quorum, corrupt_holders=2 * quorum - holders - 1)
    assert_sum(run_of(protocol).run(), NODES)


@pytest.mark.parametrize("stage", [0, 1, 6, 7, 8])
def test_any_quorum_of_holders_suffices(stage):
    """Silent from the start, after a key to one node, to all but one, to every node; after the report."""
    protocol = OneShot(quorum=3, corrupt_holders=0)
    for gone in combinations(HOLDERS, 2):
        opened = run_of(protocol, Faults(silent=dict.fromkeys(gone, stage))).run()
        assert_sum(opened, NODES)


@pytest.mark.parametrize("stage", [0, 7, 8])
def test_fewer_holders_than_a_quorum_open_nothing_and_the_silent_are_named(stage):
    run = run_of(OneShot(), Faults(silent=dict.fromkeys(HOLDERS[:2], stage)))
    with pytest.raises(TooFewParties) as caught:
        run.run()
    assert set(HOLDERS[:2]) == set(caught.value.missing)


def test_a_node_speaks_once_and_hears_only_keys():
    run = run_of(OneShot())
    run.run()
    kinds = run.transcript.kinds
    said = {kind[1:]: count for kind, count in kinds.items() if kind[0] == "node"}
    heard = {kind[2] for kind in kinds if kind[1] == "node"}
    assert said == {(AGGREGATOR, "Masked"): 7, ("trustee", "Seeds"): 35}
    assert heard == {"Key"}
    assert run.transcript.deadlines == 0


def masked_vector_without(quorum):
    """What the aggregator and so many holders make of one node's masked vector, for each choice of them."""
    protocol = OneShot()
    session = session_of(protocol)
    parties = protocol.parties(VECTORS, session, seeded(1))
    masked = []
    deviate(parties["b"], lambda e: masked.append(e.body.words) or [e] if isinstance(e.body, Masked) else [e])
    LocalRun(parties, protocol.codec(session), session).run()
    for some in combinations(HOLDERS, quorum):
        known = {}
        for holder in some:
            known |= zip(protocol.sharing.parts[holder], parties[holder]._seeds.received["b"], strict=True)
        left = from_bytes(masked[0]).copy()
        for seed in known.values():
            subtract_mask(left, seed)
        yield left


def test_a_quorum_that_joins_the_aggregator_reads_a_node_and_one_fewer_does_not():
    assert all(np.array_equal(left, to_ring(VECTORS["b"])) for left in masked_vector_without(4))
    for left in masked_vector_without(3):
        # one unknown mask is left: every word differs, by far more than vectors could
        assert (np.abs((left - to_ring(VECTORS["b"])).view(np.int64)) > 1 << 32).all()


def test_a_node_that_gives_holders_different_seeds_is_blamed_and_left_out():
    protocol = OneShot()
    session = session_of(protocol)
    twin = protocol.node("b", VECTORS["b"], session, seeded(2)("b"))
    parties = protocol.parties(VECTORS, session, seeded(1))
    honest = parties["b"].handle

    def two_faced(envelope):
        """To holder-1 go the seeds of another run of the same node."""
        others = {e.recipient: e for e in twin.handle(envelope)}
        return [others[e.recipient] if e.recipient == "holder-1" else e for e in honest(envelope)]

    parties["b"].handle = two_faced
    run = LocalRun(parties, protocol.codec(session), session)
    assert_sum(run.run(), [node for node in NODES if node != "b"])
    assert {(blame.by, blame.party) for blame in run.transcript.blames} == {(AGGREGATOR, "b")}


def test_a_box_that_does_not_open_is_blamed_and_its_node_left_out():
    def garbled(envelope):
        body = envelope.body
        if isinstance(body, Seeds) and envelope.recipient == "holder-3":
            return [replaced(envelope, Seeds(body.box[:-1] + bytes([body.box[-1] ^ 1])))]
        return [envelope]

    run = run_of(OneShot(), b=garbled)
    assert_sum(run.run(), [node for node in NODES if node != "b"])
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == [("holder-3", "b")]


def wrong_sums(envelope):
    if isinstance(envelope.body, PartSums):
        words = envelope.body.words
        return [replaced(envelope, PartSums(envelope.body.groups, bytes([words[0] ^ 1]) + words[1:]))]
    return [envelope]


def test_where_a_part_has_three_copies_a_lying_holder_is_outvoted_and_blamed():
    run = run_of(OneShot(quorum=3, corrupt_holders=0), holder_2=wrong_sums)
    assert_sum(run.run(), NODES)
    assert {(blame.by, blame.party) for blame in run.transcript.blames} == {(AGGREGATOR, "holder-2")}


def test_where_a_part_has_two_copies_a_lying_holder_is_detected():
    run = run_of(OneShot(quorum=4), holder_2=wrong_sums)
    with pytest.raises(Abort, match="contradict one another: .*holder-2"):
        run.run()
    assert run.parties[AGGREGATOR].output is None


@pytest.mark.parametrize(("nodes", "tags"), [((1, 2), 3), ((0, 9), 2), ((0, 0), 2), ((-1, 0), 2)])
def test_a_report_that_fits_no_nodes_is_blamed_and_ignored(nodes, tags):
    def misreported(envelope):
        if isinstance(envelope.body, Report):
            return [replaced(envelope, Report(nodes, envelope.body.tags[: 64 * tags])), envelope]
        return [envelope]

    run = run_of(OneShot(), holder_2=misreported)
    assert_sum(run.run(), NODES)
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == [(AGGREGATOR, "holder-2")]


def asking(members, groups=(0,)):
    """An aggregator that asks for this."""

    def change(envelope):
        if isinstance(envelope.body, Request):
            return [replaced(envelope, Request(groups, members))]
        return [envelope]

    return change


@pytest.mark.parametrize(
    ("members", "groups", "reason"),
    [
        ((NODES[:4],), (0,), "4 of the 7 nodes of group 0, 5 needed"),
        ((NODES[:2],), (0,), "2 of the 7"),
        ((), (0,), "no members"),
        ((NODES, NODES[:6]), (0, 0), "a group twice"),
        ((NODES,), (1,), "no group 1"),
        ((NODES[::-1],), (0,), "in its order"),
        (((*NODES[:4], "a", "a"),), (0,), "different nodes"),
        (((*NODES[:6], "mallory"),), (0,), "different nodes"),
    ],
)
def test_holders_answer_no_request_for_what_is_not_opened(members, groups, reason):
    run = run_of(OneShot(), aggregator=asking(members, groups))
    with pytest.raises(Abort):
        run.run()
    assert [blame.party for blame in run.transcript.blames] == [AGGREGATOR] * 5
    assert all(reason in blame.reason for blame in run.transcript.blames)
    assert ("trustee", AGGREGATOR, "PartSums") not in run.transcript.kinds


def test_holders_do_not_answer_for_a_node_whose_seeds_they_lack():
    run = run_of(OneShot(), Faults(silent={"b": 0}), aggregator=asking((NODES,)))
    with pytest.raises(Abort):
        run.run()
    assert all("does not have" in blame.reason for blame in run.transcript.blames)
    assert ("trustee", AGGREGATOR, "PartSums") not in run.transcript.kinds


def test_a_second_list_of_members_is_refused():
    def twice(envelope):
        if isinstance(envelope.body, Request):
            return [envelope, replaced(envelope, Request((0,), (NODES[:6],)))]
        return [envelope]

    run = run_of(OneShot(), aggregator=twice)
    assert_sum(run.run(), NODES)
    assert [blame.party for blame in run.transcript.blames] == [AGGREGATOR] * 5
    assert run.transcript.kinds["trustee", AGGREGATOR, "PartSums"] == 5


def test_two_lists_to_two_halves_open_neither():
    def split(envelope):
        if isinstance(envelope.body, Request) and envelope.recipient in HOLDERS[:2]:
            return [replaced(envelope, Request((0,), (NODES[:6],)))]
        return [envelope]

    run = run_of(OneShot(), aggregator=split)
    with pytest.raises(TooFewParties):
        run.run()
    assert ("trustee", AGGREGATOR, "PartSums") not in run.transcript.kinds


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"holders": 5, "quorum": 2}, "more than half of the 5 holders, got 2"),
        ({"holders": 3, "quorum": 4}, "more than half of the 3 holders, got 4"),
        ({"holders": 0, "quorum": 0}, "more than half of the 0 holders, got 0"),
        ({"holders": 12, "quorum": 7, "corrupt_holders": 1}, "at most 126"),
    ],
)
def test_a_committee_that_cannot_be_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        OneShot(**options)


def test_a_threshold_of_two_is_refused():
    with pytest.raises(ValueError, match="a threshold of 2 opens sums of fewer than 3"):
        session_of(OneShot(threshold=2))


@pytest.mark.parametrize(
    ("change", "blamed"),
    [
        (lambda body: Report(body.nodes[:2], body.tags[: 2 * 96]), []),
        (lambda body: Report(body.nodes, bytes(len(body.tags))), [(AGGREGATOR, "holder-2")]),
    ],
    ids=["few seeds", "false seeds"],
)
def test_a_holder_who_reports_other_seeds_is_left_out_rather_than_the_nodes(change, blamed):
    def misreported(envelope):
        return [replaced(envelope, change(envelope.body)) if isinstance(envelope.body, Report) else envelope]

    run = run_of(OneShot(quorum=3, corrupt_holders=0), holder_2=misreported)
    assert_sum(run.run(), NODES)
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == blamed


@pytest.mark.parametrize(
    "weaker", ["a point of small order", "the other exchange", "the lattice's half alone"]
)
@pytest.mark.parametrize("kind", ["hybrid", "x25519"])
def test_a_holder_with_a_weak_or_a_downgraded_key_is_done_without(kind, weaker):
    other = BoxKey("x25519" if kind == "hybrid" else "hybrid", bytes(range(32))).public

    def instead(public):
        if weaker == "a point of small order":
            return public[:-32] + bytes(32)
        return other if weaker == "the other exchange" else public[:-32]

    def weak(envelope):
        body = envelope.body
        return [replaced(envelope, Key(instead(body.public))) if isinstance(body, Key) else envelope]

    run = run_of(OneShot(key_exchange=kind), holder_2=weak)
    assert_sum(run.run(), NODES)
    assert {(blame.by, blame.party) for blame in run.transcript.blames} == {(n, "holder-2") for n in NODES}
