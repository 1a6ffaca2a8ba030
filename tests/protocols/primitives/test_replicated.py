from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.primitives.replicated import Sharing, majority

committees = st.integers(1, 7).flatmap(
    lambda count: st.builds(Sharing, st.just(tuple("abcdefg"[:count])), st.integers(count // 2 + 1, count))
)


@given(committees)
def test_a_quorum_knows_every_part_and_one_fewer_do_not(sharing):
    everything = set(range(len(sharing.excluded)))
    for few in combinations(sharing.holders, sharing.quorum - 1):
        known = {part for holder in few for part in sharing.parts[holder]}
        assert len(everything - known) == 1
    for quorum in combinations(sharing.holders, sharing.quorum):
        assert {part for holder in quorum for part in sharing.parts[holder]} == everything


@given(committees)
def test_every_holder_knows_as_many_parts_and_every_part_has_as_many_copies(sharing):
    assert {len(parts) for parts in sharing.parts.values()} == {sharing.parts_each}
    given_ = {holder: [b"%d" % part for part in parts] for holder, parts in sharing.parts.items()}
    for part, copies in enumerate(sharing.copies(given_)):
        assert set(copies.values()) == {b"%d" % part}
        assert len(copies) == len(sharing.holders) - sharing.quorum + 1


@pytest.mark.parametrize(("holders", "quorum"), [(5, 2), (4, 2), (5, 6), (1, 0), (0, 0)])
def test_a_quorum_that_is_no_majority_is_refused(holders, quorum):
    with pytest.raises(ValueError, match=f"more than half of the {holders} holders, got {quorum}"):
        Sharing(tuple("abcdefg"[:holders]), quorum)


def test_a_committee_with_too_many_parts_is_refused():
    assert len(Sharing(tuple("abcdefghi"), 5).excluded) == 126
    with pytest.raises(ValueError, match="any 6 of 10 holders take 252 parts; at most 126"):
        Sharing(tuple("abcdefghij"), 6)


@pytest.mark.parametrize(
    ("copies", "agreed", "others"),
    [
        ({"a": b"1"}, b"1", []),
        ({"a": b"1", "b": b"1"}, b"1", []),
        ({"a": b"1", "b": b"2"}, None, ["a", "b"]),
        ({"a": b"1", "b": b"2", "c": b"1"}, b"1", ["b"]),
        ({"a": b"1", "b": b"2", "c": b"3"}, None, ["a", "b", "c"]),
        ({"a": b"1", "b": b"2", "c": b"2", "d": b"1"}, None, ["a", "b", "c", "d"]),
    ],
)
def test_a_majority_is_more_than_half(copies, agreed, others):
    assert majority(copies) == (agreed, others)
