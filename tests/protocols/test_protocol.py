import dataclasses

import numpy as np
import pytest

from protocols.opened import Opened
from protocols.protocol import PROTOCOLS
from protocols.ring import Capacity
from protocols.schemes.plain import Plain

GROUPS = (("a", "b", "c"), ("d", "e"))
CAPACITY = Capacity(100, 3, 5)


def session_of(protocol=None, **change):
    arguments = {"groups": GROUPS, "length": 2, "capacity": CAPACITY, "session_id": bytes(16)} | change
    return (protocol or Plain()).session(**arguments)


@pytest.mark.parametrize(
    "change",
    [
        {"groups": (("a", "b"), ("c", "d", "e"))},
        {"groups": (("a", "c", "b"), ("d", "e"))},
        {"groups": (("d", "e"), ("a", "b", "c"))},
        {"length": 3},
        {"capacity": Capacity(101, 3, 5)},
        {"capacity": Capacity(100, 4, 5)},
        {"capacity": Capacity(100, 3, 6)},
        {"session_id": bytes([1]) + bytes(15)},
        {"context": b"schema"},
        {"protocol": Plain(threshold=1)},
    ],
)
def test_anything_that_differs_changes_the_digest(change):
    assert session_of(**change).digest != session_of().digest


def test_the_same_session_has_the_same_digest():
    assert session_of().digest == session_of().digest


def test_a_session_knows_its_nodes_and_their_groups():
    session = session_of()
    assert session.nodes == ("a", "b", "c", "d", "e")
    assert session.group_of == {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1}


@pytest.mark.parametrize(("size", "needed"), [(1, 1), (2, 2), (3, 3), (4, 3), (6, 5), (100, 67)])
def test_more_than_two_thirds_survive_by_default(size, needed):
    assert Plain().survivors(size) == needed
    assert 3 * needed > 2 * size


def test_a_chosen_threshold_is_kept():
    assert Plain(threshold=2).survivors(5) == 2


def test_a_threshold_must_fit_every_group():
    with pytest.raises(ValueError, match="rule 5, enough nodes: the threshold is 3 nodes, the group has 2"):
        session_of(Plain(threshold=3))


def test_a_protocol_that_declares_a_smallest_group_runs_no_smaller_one():
    @dataclasses.dataclass(frozen=True)
    class Shy(Plain):
        smallest_group = 3

    assert session_of(Shy(), groups=(("a", "b", "c"),)).nodes == ("a", "b", "c")
    with pytest.raises(ValueError, match=r"group 1 \(d, e\) is smaller than 3, the smallest that Shy runs"):
        session_of(Shy())


def test_a_protocol_without_trustees_says_so():
    with pytest.raises(ValueError, match="Plain has no trustee 'bob'"):
        Plain().trustee("bob", session_of(), bytes)


def test_an_unknown_protocol_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown protocol 'fog'; known: .*plain"):
        PROTOCOLS["fog"]


@pytest.mark.parametrize(
    ("sees", "members", "words"),
    [
        ("vectors", (("a", "b"),), "2 nodes' vectors"),
        ("sums", (("a", "b"),), "one sum of 2"),
        ("sums", (("a",), ("b",)), "2 nodes' vectors"),
        ("sums", (("a",),), "one node's vector"),
        ("sums", (("a", "b"), ("c", "d")), "2 sums of 2"),
        ("sums", (("a", "b"), ("c", "d", "e")), "2 sums of 2 to 3"),
    ],
)
def test_what_was_learned_counts_nodes_or_sums(sees, members, words):
    class Seeing(Plain):
        claims = dataclasses.replace(Plain.claims, sees=sees)

    assert Seeing().learned(Opened(np.zeros((len(members), 1), np.int64), members)) == words
