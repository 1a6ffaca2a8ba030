"""What every protocol of ours promises beyond the checks that ship (`tests/protocols/test_checks.py`).

Any integers, the whole range of the ring, what the ideal functionality opens, and refusals in words.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.engines.faults import NO_FAULTS
from protocols.engines.local import LocalRun
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


@settings(max_examples=4, deadline=None)
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


# what cannot run is refused


def test_a_session_that_could_not_run_is_refused_and_why_is_said(protocol):
    good = {"groups": GROUPINGS["all"], "length": 3, "capacity": CAPACITY, "session_id": SESSION_ID}
    protocol.session(**good)
    for change, named in (
        ({"groups": ()}, "at least one group"),
        ({"groups": (NODES, ())}, "empty"),
        ({"groups": (NODES, NODES[:3])}, "node-0"),
        ({"groups": ((*NODES[1:], AGGREGATOR),)}, AGGREGATOR),
        ({"groups": ((*NODES[1:], ""),)}, "''"),
        ({"groups": ((*NODES[1:], "n" * 65),)}, "64 characters"),
        ({"length": 0}, "got 0"),
        ({"capacity": Capacity(bound=1, nodes=6)}, "for 6 nodes, a group has 7"),
        ({"session_id": bytes(15)}, "got 15"),
    ):
        with pytest.raises(ValueError, match=named):
            protocol.session(**good | change)


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


def test_a_bad_vector_is_refused_and_named(protocol):
    session = protocol.session(GROUPINGS["all"], 3, CAPACITY, SESSION_ID)
    for change, named in (
        ({"node-2": None}, "node-2"),
        ({"stranger": np.zeros(3, np.int64)}, "stranger"),
        ({"node-2": np.zeros(4, np.int64)}, "node-2.*length 3"),
        ({"node-2": np.zeros((3, 1), np.int64)}, "node-2.*length 3"),
        ({"node-2": np.zeros(3)}, "node-2.*float64"),
        ({"node-2": np.zeros(3, np.uint64)}, "node-2.*uint64"),
        ({"node-2": np.array([0, CAPACITY.largest_input + 1, 0])}, "node-2: coordinate 1 is 1051"),
        ({"node-2": np.array([0, 0, -(1 << 63)])}, "node-2: coordinate 2"),
    ):
        vectors = {node: v for node, v in (vectors_of(NODES) | change).items() if v is not None}
        with pytest.raises(ValueError, match=named):
            protocol.parties(vectors, session, seeded(1))


# what it says of itself


def test_what_was_learned_is_said_in_words(protocol):
    opened = run_of(protocol, GROUPINGS["all"], vectors_of(NODES)).run()
    expected = "7 nodes' vectors" if protocol.claims.sees == "vectors" else "one sum of 7"
    assert protocol.learned(opened) == expected
