"""What every protocol promises: the exact sums of groups, and blame for whatever else arrives."""

import dataclasses
import inspect
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.grouping import one_group, shuffled, singletons
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity

NODES = tuple(f"node-{i}" for i in range(7))
CAPACITY = Capacity(bound=1000, nodes=len(NODES), tail=50)
SESSION_ID = bytes(range(16))

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


def vectors_of(nodes, length=3, seed=0):
    rng = np.random.default_rng(seed)
    top = CAPACITY.largest_input
    return {node: rng.integers(-top, top, length, endpoint=True) for node in nodes}


def run_of(protocol, groups, vectors, faults=NO_FAULTS, length=None):
    length = len(next(iter(vectors.values()))) if length is None else length
    session = protocol.session(groups, length, CAPACITY, SESSION_ID)
    parties = protocol.parties(vectors, session, seeded(1))
    return LocalRun(parties, protocol.codec(session), session, faults)


def assert_exact(opened, vectors, groups):
    """Each row is, with ==, the sum of the vectors of its members, who are of one group."""
    assert len(opened.rows) == len(opened.members) > 0
    for row, members in zip(opened.rows, opened.members, strict=True):
        assert len(set(members)) == len(members) > 0
        assert any(set(members) <= set(group) for group in groups)
        assert row.tolist() == [
            sum(column) for column in zip(*(vectors[m].tolist() for m in members), strict=True)
        ]
    whose = Counter(member for members in opened.members for member in members)
    assert set(whose.values()) == {1}


# what it opens


def test_it_opens_what_it_says_that_it_opens_without_messages(protocol, groups):
    vectors = vectors_of(NODES, length=4, seed=3)
    session = protocol.session(groups, 4, CAPACITY, SESSION_ID)
    opened = run_of(protocol, groups, vectors).run()
    ideal = protocol.ideal(vectors, session)
    assert np.array_equal(ideal.rows, opened.rows)
    assert ideal.members == opened.members
    with pytest.raises(ValueError, match="not in the session"):
        protocol.ideal(vectors | {"stranger": vectors[NODES[0]]}, session)


@settings(max_examples=8, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("grouping", list(GROUPINGS))
@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_opened_rows_are_the_plain_integers(name, grouping, data):
    protocol, groups = PROTOCOLS[name].for_tests(), GROUPINGS[grouping]
    if min(map(len, groups)) < protocol.smallest_group:
        pytest.skip(f"declares {protocol.smallest_group} as its smallest group")
    top = CAPACITY.largest_input
    edges = st.sampled_from([-top, -1, 0, 1, top])
    length = data.draw(st.integers(1, 9))
    coordinates = st.lists(st.integers(-top, top) | edges, min_size=length, max_size=length)
    vectors = {node: np.array(data.draw(coordinates), np.int64) for node in NODES}
    run = run_of(protocol, groups, vectors)
    opened = run.run()
    assert opened.members == groups
    assert opened.lost == ()
    assert_exact(opened, vectors, groups)
    assert run.transcript.blames == []
    assert run.transcript.stops == []


@pytest.mark.parametrize("half", [1, 2])
def test_the_whole_range_of_the_ring_adds_up(protocol, half):
    nodes = NODES[: max(3, protocol.smallest_group)]
    room = ((1 << 63) - 1) // len(nodes)
    capacity = Capacity(bound=room // half, nodes=len(nodes), tail=room - room // half)
    session = protocol.session((nodes,), 2, capacity, SESSION_ID)
    top = capacity.largest_input  # all nodes at the most that any may send, though it be mostly noise
    vectors = {node: np.array([top, -top], np.int64) for node in nodes}
    run = LocalRun(protocol.parties(vectors, session, seeded(1)), protocol.codec(session), session)
    assert run.run().rows.tolist() == [[capacity.largest_row, -capacity.largest_row]]


def test_the_opened_rows_do_not_depend_on_the_entropy(protocol, groups):
    vectors = vectors_of(NODES)
    session = protocol.session(groups, 3, CAPACITY, SESSION_ID)
    runs = [
        LocalRun(protocol.parties(vectors, session, seeded(seed)), protocol.codec(session), session).run()
        for seed in (1, 2)
    ]
    assert np.array_equal(runs[0].rows, runs[1].rows)


def test_vectors_are_left_as_they_were(protocol, groups):
    vectors = vectors_of(NODES)
    before = {node: vector.copy() for node, vector in vectors.items()}
    run_of(protocol, groups, vectors).run()
    assert all(np.array_equal(vectors[node], before[node]) for node in NODES)


def test_no_frame_reaches_the_frame_limit(protocol, groups):
    session = protocol.session(groups, 3, CAPACITY, SESSION_ID)
    sizes = []

    class Scales(Faults):
        def carry(self, frame):
            sizes.append(len(frame.data))
            return [frame], []

    run_of(protocol, groups, vectors_of(NODES), Scales()).run()
    assert max(sizes) < protocol.frame_limit(session)


# what arrives broken, twice, late or from a stranger

STRANGER = "mallory"


class Tampering(Faults):
    """At the first frame of one kind of message, something else arrives before it or after it."""

    def __init__(self, kind, trick, codec):
        super().__init__()
        self.kind = kind
        self.trick = trick
        self.codec = codec
        self.blamed = None

    def carry(self, frame):
        body = self.codec.decode(frame.sender, frame.recipient, frame.data)
        kind = (role_of(frame.sender), role_of(frame.recipient), type(body).__name__)
        if kind != self.kind or self.blamed is not None:
            return [frame], []
        before, after, late, who = self.trick(self.codec, frame, body)
        self.blamed = (frame.recipient, who)
        return [*before, frame, *after], late


def role_of(party):
    return "node" if party in NODES else party


def repeated(codec, frame, body):
    return [], [frame], [], frame.sender


def repeated_late(codec, frame, body):
    return [], [], [frame], frame.sender


def garbage(codec, frame, body):
    data = np.random.default_rng(3).bytes(len(frame.data))
    return [Frame(frame.sender, frame.recipient, data)], [], [], frame.sender


def empty(codec, frame, body):
    return [Frame(frame.sender, frame.recipient, b"")], [], [], frame.sender


def truncated(codec, frame, body):
    return [Frame(frame.sender, frame.recipient, frame.data[:-1])], [], [], frame.sender


def with_trailing_bytes(codec, frame, body):
    return [Frame(frame.sender, frame.recipient, frame.data + b"\0")], [], [], frame.sender


def oversized(codec, frame, body):
    data = frame.data + bytes(codec.limit + 1 - len(frame.data))
    return [Frame(frame.sender, frame.recipient, data)], [], [], frame.sender


def under_a_false_name(codec, frame, body):
    return [Frame(STRANGER, frame.recipient, frame.data)], [], [], STRANGER


def from_a_stranger(codec, frame, body):
    data = codec.encode(STRANGER, frame.recipient, body)
    return [Frame(STRANGER, frame.recipient, data)], [], [], STRANGER


def from_the_wrong_role(codec, frame, body):
    other = next(party for party in (*NODES, AGGREGATOR) if role_of(party) != role_of(frame.sender))
    data = codec.encode(other, frame.recipient, body)
    return [Frame(other, frame.recipient, data)], [], [], other


def sent_to_another(codec, frame, body):
    other = next(node for node in NODES if node not in (frame.recipient, frame.sender))
    data = codec.encode(frame.sender, other, body)
    return [Frame(frame.sender, frame.recipient, data)], [], [], frame.sender


TRICKS = [
    repeated,
    repeated_late,
    garbage,
    empty,
    truncated,
    with_trailing_bytes,
    oversized,
    under_a_false_name,
    from_a_stranger,
    from_the_wrong_role,
    sent_to_another,
]


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_a_message_out_of_order_is_blamed_and_changes_nothing(protocol, trick):
    groups = GROUPINGS["groups of 3"] if protocol.smallest_group <= 3 else GROUPINGS["all"]
    vectors = vectors_of(NODES)
    honest = run_of(protocol, groups, vectors)
    expected = honest.run()
    assert honest.transcript.kinds
    codec = protocol.codec(protocol.session(groups, 3, CAPACITY, SESSION_ID))
    for kind in kinds_of(protocol, groups, vectors, codec):
        faults = Tampering(kind, trick, codec)
        run = run_of(protocol, groups, vectors, faults)
        opened = run.run()
        assert faults.blamed in {(blame.by, blame.party) for blame in run.transcript.blames}, kind
        assert len(run.transcript.blames) == 1, (kind, run.transcript.blames)
        assert np.array_equal(opened.rows, expected.rows), kind
        assert opened.members == expected.members, kind


def kinds_of(protocol, groups, vectors, codec):
    """Every (role of the sender, role of the recipient, message) of an honest run."""
    seen = {}

    class Notes(Faults):
        def carry(self, frame):
            body = codec.decode(frame.sender, frame.recipient, frame.data)
            seen[role_of(frame.sender), role_of(frame.recipient), type(body).__name__] = True
            return [frame], []

    run_of(protocol, groups, vectors, Notes()).run()
    return list(seen)


def test_a_message_of_another_session_is_blamed_and_changes_nothing(protocol):
    groups = GROUPINGS["all"]
    vectors = vectors_of(NODES)
    codec = protocol.codec(protocol.session(groups, 3, CAPACITY, SESSION_ID))
    other = protocol.codec(protocol.session(groups, 3, CAPACITY, bytes(16)))

    def replayed(_codec, frame, body):
        data = other.encode(frame.sender, frame.recipient, body)
        return [Frame(frame.sender, frame.recipient, data)], [], [], frame.sender

    for kind in kinds_of(protocol, groups, vectors, codec):
        faults = Tampering(kind, replayed, codec)
        run = run_of(protocol, groups, vectors, faults)
        opened = run.run()
        assert [(blame.by, blame.party) for blame in run.transcript.blames] == [faults.blamed]
        assert opened.members == groups
        assert_exact(opened, vectors, groups)


# what cannot run is refused


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"groups": ()}, "at least one group"),
        ({"groups": (NODES, ())}, "empty"),
        ({"groups": (NODES, NODES[:3])}, "node-0"),
        ({"groups": ((*NODES[1:], AGGREGATOR),)}, AGGREGATOR),
        ({"groups": ((*NODES[1:], ""),)}, "''"),
        ({"groups": ((*NODES[1:], "n" * 65),)}, "64 characters"),
        ({"length": 0}, "got 0"),
        ({"capacity": Capacity(bound=1, nodes=6)}, "for 6 nodes, a group has 7"),
        ({"session_id": bytes(15)}, "got 15"),
    ],
)
def test_a_session_that_could_not_run_is_refused(protocol, change, named):
    good = {"groups": GROUPINGS["all"], "length": 3, "capacity": CAPACITY, "session_id": SESSION_ID}
    protocol.session(**good)
    with pytest.raises(ValueError, match=named):
        protocol.session(**good | change)


@pytest.mark.parametrize("threshold", [-1, 0, len(NODES) + 1])
def test_a_threshold_out_of_range_is_refused(protocol, threshold):
    with pytest.raises(ValueError, match=str(threshold)):
        dataclasses.replace(protocol, threshold=threshold).session(GROUPINGS["all"], 3, CAPACITY, SESSION_ID)


def test_a_group_smaller_than_the_smallest_is_refused_by_name(protocol):
    if protocol.smallest_group == 1:
        pytest.skip("runs groups of one")
    tiny = NODES[: protocol.smallest_group - 1]
    with pytest.raises(ValueError, match=f"{tiny[0]}.*{protocol.smallest_group}"):
        protocol.session((tiny, NODES[len(tiny) :]), 3, CAPACITY, SESSION_ID)


def test_a_trustee_is_no_node(protocol):
    for trustee in protocol.trustee_ids(NODES):
        with pytest.raises(ValueError, match=trustee):
            protocol.session(((*NODES[1:], trustee),), 3, CAPACITY, SESSION_ID)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"node-2": None}, "node-2"),
        ({"stranger": np.zeros(3, np.int64)}, "stranger"),
        ({"node-2": np.zeros(4, np.int64)}, "node-2.*length 3"),
        ({"node-2": np.zeros((3, 1), np.int64)}, "node-2.*length 3"),
        ({"node-2": np.zeros(3)}, "node-2.*float64"),
        ({"node-2": np.zeros(3, np.uint64)}, "node-2.*uint64"),
        ({"node-2": np.array([0, CAPACITY.largest_input + 1, 0])}, "node-2: coordinate 1 is 1051"),
        ({"node-2": np.array([0, 0, -(1 << 63)])}, "node-2: coordinate 2"),
    ],
)
def test_a_bad_vector_is_refused_and_named(protocol, change, named):
    session = protocol.session(GROUPINGS["all"], 3, CAPACITY, SESSION_ID)
    vectors = {node: v for node, v in (vectors_of(NODES) | change).items() if v is not None}
    with pytest.raises(ValueError, match=named):
        protocol.parties(vectors, session, seeded(1))


# what it says of itself


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_protocol_says_what_it_claims_and_where_it_comes_from(name):
    claims = PROTOCOLS[name].claims
    assert all(getattr(claims, field.name).strip() for field in dataclasses.fields(claims))
    assert inspect.getdoc(PROTOCOLS[name])


def test_sessions_of_different_parameters_differ(protocol):
    stricter = dataclasses.replace(protocol, threshold=len(NODES))
    if stricter == protocol:
        pytest.skip("has that threshold already")
    sessions = [p.session(GROUPINGS["all"], 3, CAPACITY, SESSION_ID) for p in (protocol, stricter)]
    assert sessions[0].digest != sessions[1].digest


def test_what_was_learned_is_said_in_words(protocol):
    opened = run_of(protocol, GROUPINGS["all"], vectors_of(NODES)).run()
    expected = "7 nodes' vectors" if protocol.claims.sees == "vectors" else "one sum of 7"
    assert protocol.learned(opened) == expected
