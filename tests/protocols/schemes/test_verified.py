"""The protocol `verified` beyond the contract: what is proven, who is blamed, what an aggregator may ask."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.party import AGGREGATOR, Envelope
from protocols.primitives.vdaf.field import FIELD64, FIELD128
from protocols.releases import Releases
from protocols.ring import Capacity
from protocols.schemes._prio3.messages import Key, Open, Relay, Report, Sums, Verifier, VerifyKey
from protocols.schemes.verified import Verified
from protocols.validity import Equality, Form, Range, Validity, within

NODES = tuple(f"node-{i}" for i in range(6))
GROUPS = (NODES[:3], NODES[3:])
CAPACITY = Capacity(bound=100, nodes=6, tail=50)
PARTS = Validity(
    3,
    tuple(Range("count", Form(((at, 1),)), 40) for at in range(3)),
    (Equality("total", Form(((0, 1), (1, -1), (2, -1)))),),
)
"""A total and its two parts."""

PROTOCOL = Verified(threshold=2, validity=PARTS)


def vectors():
    parts = np.random.default_rng(1).integers(0, 20, (len(NODES), 2))
    return {
        node: np.array([first + second, first, second])
        for node, (first, second) in zip(NODES, parts, strict=True)
    }


def session_of(protocol=PROTOCOL, groups=GROUPS):
    return protocol.session(groups, 3, CAPACITY, bytes(16))


def run_of(protocol, inputs, faults=NO_FAULTS, groups=GROUPS):
    session = session_of(protocol, groups)
    return LocalRun(protocol.parties(inputs, session, seeded(1)), protocol.codec(session), session, faults)


def sums_of(inputs, members):
    return [sum(inputs[node] for node in group).tolist() for group in members]


def assert_only_left_out(run, opened, inputs, *nodes):
    """These nodes are blamed by the aggregator, once each, and the rest is as if they had been silent."""
    members = tuple(tuple(node for node in group if node not in nodes) for group in GROUPS)
    assert opened.members == members
    assert opened.rows.tolist() == sums_of(inputs, members)
    assert [(blame.by, blame.party) for blame in run.transcript.blames] == [
        (AGGREGATOR, node) for node in nodes
    ]


# what is proven


@pytest.mark.parametrize("helpers", [1, 2, 4])
def test_valid_vectors_are_summed_whatever_the_number_of_helpers(helpers):
    inputs = vectors()
    opened = run_of(dataclasses.replace(PROTOCOL, helpers=helpers), inputs).run()
    assert opened.rows.tolist() == sums_of(inputs, GROUPS)
    assert opened.lost == ()


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ((41, 41, 0), "count"),
        ((0, 1, -1), "count"),
        ((5, 3, 1), "total"),
        ((-1, -1, 1), "count, total"),
    ],
)
@pytest.mark.parametrize("node", [NODES[0], NODES[-1]], ids=["first", "last"])
def test_a_node_with_an_invalid_vector_is_left_out_and_blamed_for_the_rules_that_it_breaks(node, bad, named):
    inputs = vectors() | {node: np.array(bad)}
    run = run_of(PROTOCOL, inputs)
    assert_only_left_out(run, run.run(), inputs, node)
    assert run.transcript.deadlines == 0
    assert run.transcript.blames[0].reason.endswith(f"does not verify: the proof does not hold: {named}")


def test_a_group_with_too_few_valid_vectors_is_lost_and_the_others_are_opened():
    inputs = vectors() | {NODES[0]: np.array([1, 2, 3]), NODES[2]: np.array([50, 50, 0])}
    run = run_of(PROTOCOL, inputs)
    opened = run.run()
    assert opened.members == (GROUPS[1],)
    assert [(lost.group, lost.missing) for lost in opened.lost] == [(0, (NODES[0], NODES[2]))]
    assert {blame.party for blame in run.transcript.blames} == {NODES[0], NODES[2]}


def test_nothing_is_released_if_no_group_has_enough_valid_vectors():
    run = run_of(PROTOCOL, dict.fromkeys(NODES, np.array([1, 0, 0])))
    with pytest.raises(Abort):
        run.run()
    assert len(run.transcript.blames) == len(NODES)
    assert not any(kind == "Open" for *_, kind in run.transcript.kinds)


def test_the_field_is_the_smallest_that_no_sum_can_wrap():
    assert PROTOCOL.circuit(session_of()).field is FIELD64
    wide = Capacity(bound=1 << 60, nodes=6, tail=380_000_000_000_000_000)
    assert Verified().circuit(Verified().session(GROUPS, 3, wide, bytes(16))).field is FIELD128


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"validity": within(4, 10)}, "4 coordinates, not 3"),
        ({"helpers": 0}, "got 0, 3"),
        ({"helpers": 255}, "got 255, 3"),
        ({"proofs": 0}, "got 1, 0"),
        ({"validity": Validity(3, PARTS.ranges[:2])}, "coordinate 2"),
        ({"validity": within(3, 1 << 127)}, "modulus"),
    ],
)
def test_parameters_that_prove_nothing_are_refused(wrong, named):
    with pytest.raises(ValueError, match=named):
        session_of(dataclasses.replace(PROTOCOL, **wrong))


def test_another_validity_is_another_session():
    other = dataclasses.replace(PROTOCOL, validity=within(3, 40))
    assert session_of().digest != session_of(other).digest


# noise


def test_every_aggregator_adds_its_own_noise_to_every_row():
    doses = {
        (who, group): np.random.default_rng(seed).integers(-9, 10, 3)
        for seed, (who, group) in enumerate((w, g) for w in (AGGREGATOR, "helper-1") for g in (0, 1))
    }
    asked = []

    def noise(who, session, group):
        assert session.id == bytes(16)
        asked.append((who, group))
        return doses[who, group]

    inputs = vectors()
    opened = run_of(dataclasses.replace(PROTOCOL, noise=noise), inputs).run()
    plain = sums_of(inputs, GROUPS)
    expected = [
        (np.array(plain[group]) + doses[AGGREGATOR, group] + doses["helper-1", group]).tolist()
        for group in (0, 1)
    ]
    assert opened.rows.tolist() == expected
    assert sorted(asked) == sorted(doses)


# malicious nodes


class Rewriting(Faults):
    """Every message of one kind from one sender is replaced by what `change` makes of it."""

    def __init__(self, sender, kind, change, session):
        super().__init__()
        self.sender, self.kind, self.change = sender, kind, change
        self.codec = PROTOCOL.codec(session)
        self.changed = 0

    def carry(self, frame):
        if frame.sender != self.sender:
            return [frame], []
        body = self.codec.decode(frame.sender, frame.recipient, frame.data)
        if not isinstance(body, self.kind):
            return [frame], []
        self.changed += 1
        data = self.codec.encode(frame.sender, frame.recipient, self.change(body))
        return [Frame(frame.sender, frame.recipient, data)], []


def flipped(data, where=-1):
    changed = bytearray(data)
    changed[where] ^= 1
    return bytes(changed)


TAMPERED = {
    "leader's share": lambda r: Report(r.public, (flipped(r.shares[0]), r.shares[1])),
    "helper's share": lambda r: Report(r.public, (r.shares[0], flipped(r.shares[1]))),
    "shares swapped": lambda r: Report(r.public, r.shares[::-1]),
    "a share missing": lambda r: Report(r.public, r.shares[:1]),
    "a share too many": lambda r: Report(r.public, (*r.shares, r.shares[1])),
    "another ciphertext of the lattice": lambda r: Report(r.public, (r.shares[0], flipped(r.shares[1], 0))),
    "another key of the curve": lambda r: Report(r.public, (r.shares[0], flipped(r.shares[1], 1100))),
    "a useless key": lambda r: Report(
        r.public, (r.shares[0], r.shares[1][:1088] + bytes(32) + r.shares[1][1120:])
    ),
    "half a box": lambda r: Report(r.public, (r.shares[0], r.shares[1][:1000])),
    "another public share": lambda r: Report(flipped(r.public), r.shares),
    "no public share": lambda r: Report(b"", r.shares),
}


@pytest.mark.parametrize("what", list(TAMPERED))
def test_a_tampered_report_is_blamed_on_its_node_and_left_out(what):
    inputs, node = vectors(), NODES[1]
    faults = Rewriting(node, Report, TAMPERED[what], session_of())
    run = run_of(PROTOCOL, inputs, faults)
    assert_only_left_out(run, run.run(), inputs, node)
    assert faults.changed == 1


def test_the_report_of_another_node_is_no_use():
    seen = []
    session = session_of()

    def stolen(report):
        seen.append(report)
        return report

    run_of(PROTOCOL, vectors(), Rewriting(NODES[0], Report, stolen, session)).run()
    inputs = vectors()
    run = run_of(PROTOCOL, inputs, Rewriting(NODES[4], Report, lambda _: seen[0], session))
    assert_only_left_out(run, run.run(), inputs, NODES[4])


def test_a_public_share_that_only_the_helper_could_doubt_is_caught():
    """A node that changes the leader's part, sealed accordingly: the leader corrects it for itself."""
    protocol, node = PROTOCOL, NODES[2]
    session = session_of()
    inputs = vectors()
    parties = protocol.parties(inputs, session, seeded(1))
    honest = parties[node]._prio3

    def shard(*arguments):
        public, shares = honest.shard(*arguments)
        return flipped(public, 0), shares

    parties[node]._prio3 = SimpleNamespace(shard=shard, random_bytes=honest.random_bytes)
    run = LocalRun(parties, protocol.codec(session), session)
    assert_only_left_out(run, run.run(), inputs, node)


# a malicious leader, asking a helper


def helper_with_verified_reports(protocol=PROTOCOL, invalid=()):
    """A helper that has answered for all nodes, and the opening that an honest leader would send it."""
    session = session_of(protocol)
    inputs = vectors() | {node: np.array([1, 0, 0]) for node in invalid}
    parties = protocol.parties(inputs, session, seeded(1))
    helper, leader = parties["helper-1"], parties[AGGREGATOR]
    for node in NODES:
        for who in (leader, helper):
            key = Envelope(who.me, node, Key(who._pair.public))
            for report in parties[node].handle(key):
                for relay in leader.handle(report):
                    helper.handle(relay)
    greeting = leader.handle(Envelope("helper-1", AGGREGATOR, Key(helper._pair.public)))
    answers = helper.handle(greeting[0])
    assert [type(answer.body) for answer in answers] == [Verifier] * len(NODES)
    openings = [message for answer in answers for message in leader.handle(answer)]
    return helper, openings[-1].body


LIES = {
    "too few members": lambda o: Open(
        o.groups, (o.members[0][:1], o.members[1]), (o.seeds[0][:1], o.seeds[1])
    ),
    "a member twice": lambda o: Open(o.groups, ((0, 0, 1), o.members[1]), o.seeds),
    "a member of another group": lambda o: Open(o.groups, ((0, 1, 3), o.members[1]), o.seeds),
    "nobody's number": lambda o: Open(o.groups, ((0, 1, 99), o.members[1]), o.seeds),
    "a negative number": lambda o: Open(o.groups, ((-6, 1, 2), o.members[1]), o.seeds),
    "a group twice": lambda o: Open((0, 0), (o.members[0],) * 2, (o.seeds[0],) * 2),
    "no such group": lambda o: Open((0, 2), o.members, o.seeds),
    "a false seed": lambda o: Open(o.groups, o.members, ((bytes(32), *o.seeds[0][1:]), o.seeds[1])),
    "a missing seed": lambda o: Open(o.groups, o.members, (o.seeds[0][:2], o.seeds[1])),
    "missing seeds": lambda o: Open(o.groups, o.members, o.seeds[:1]),
}


@pytest.mark.parametrize("lie", list(LIES))
def test_a_helper_refuses_an_opening_that_must_not_be_and_stays_ready_for_the_right_one(lie):
    helper, opening = helper_with_verified_reports()
    with pytest.raises(FaultyParty) as caught:
        helper.handle(Envelope(AGGREGATOR, "helper-1", LIES[lie](opening)))
    assert caught.value.party == AGGREGATOR
    assert helper.output is None
    (answer,) = helper.handle(Envelope(AGGREGATOR, "helper-1", opening))
    assert isinstance(answer.body, Sums)


def test_a_helper_opens_once():
    helper, opening = helper_with_verified_reports()
    helper.handle(Envelope(AGGREGATOR, "helper-1", opening))
    smaller = Open(opening.groups[:1], opening.members[:1], opening.seeds[:1])
    for again in (opening, smaller):
        with pytest.raises(FaultyParty, match="does not expect"):
            helper.handle(Envelope(AGGREGATOR, "helper-1", again))


def test_a_helper_with_a_memory_opens_a_session_once_in_its_life(tmp_path):
    protocol = dataclasses.replace(PROTOCOL, releases=Releases(tmp_path))
    run_of(protocol, vectors()).run()
    again = dataclasses.replace(PROTOCOL, releases=Releases(tmp_path))
    run = run_of(again, vectors())
    with pytest.raises(Abort, match="before"):
        run.run()


def test_a_helper_does_not_verify_a_report_twice():
    helper, _ = helper_with_verified_reports()
    relay = Relay(0, bytes(64), bytes(1200))
    with pytest.raises(FaultyParty, match="does not expect"):
        helper.handle(Envelope(AGGREGATOR, "helper-1", relay))
    for other in (-1, len(NODES)):
        with pytest.raises(FaultyParty, match="whom there is not"):
            helper.handle(Envelope(AGGREGATOR, "helper-1", Relay(other, relay.public, relay.share)))


def test_an_unreadable_verification_key_is_blamed_on_the_leader():
    session = session_of()
    helper = PROTOCOL.trustee("helper-1", session, seeded(1)("helper-1"))
    for sealed in (bytes(1168), bytes(range(146)) * 8, b"short", bytes(80)):
        with pytest.raises(FaultyParty) as caught:
            helper.handle(Envelope(AGGREGATOR, "helper-1", VerifyKey(sealed)))
        assert caught.value.party == AGGREGATOR


# a malicious helper


def test_a_helper_that_lies_about_a_report_can_only_leave_its_node_out():
    inputs = vectors()
    lie = Rewriting(
        "helper-1", Verifier, lambda v: Verifier(v.node, b"" if v.node == 4 else v.share), session_of()
    )
    run = run_of(PROTOCOL, inputs, lie)
    assert_only_left_out(run, run.run(), inputs, NODES[4])


@pytest.mark.parametrize(
    "lie",
    [
        lambda s: Sums(s.rows[:1]),
        lambda s: Sums((s.rows[0], s.rows[1][:-8])),
        lambda s: Sums((s.rows[0], s.rows[1] + bytes(8))),
        lambda s: Sums((s.rows[0], b"\xff" * len(s.rows[1]))),
        lambda s: Sums((s.rows[0], s.rows[1][:-1])),
    ],
)
def test_sums_that_are_none_are_blamed_on_the_helper_and_nothing_is_released(lie):
    run = run_of(PROTOCOL, vectors(), Rewriting("helper-1", Sums, lie, session_of()))
    with pytest.raises(Abort, match="helper"):
        run.run()
    assert [blame.party for blame in run.transcript.blames] == ["helper-1"]


def test_a_verifier_share_that_nobody_waits_for_is_blamed_on_its_sender():
    leader = PROTOCOL.aggregator(session_of(), seeded(1)(AGGREGATOR))
    for sender in ("helper-1", NODES[0], AGGREGATOR):
        with pytest.raises(FaultyParty) as caught:
            leader.handle(Envelope(sender, AGGREGATOR, Verifier(0, b"")))
        assert caught.value.party == sender
