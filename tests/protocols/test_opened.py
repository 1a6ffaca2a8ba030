import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.errors import TooFewParties
from protocols.opened import Lost, Opened, check_members, opened_rows, opened_sums
from protocols.ring import Capacity, to_ring
from protocols.schemes.plain import Plain

GROUPS = (("a", "b", "c"), ("d",), ("e", "f"))


def session_of(groups=GROUPS):
    return Plain().session(groups, 2, Capacity(100, 6), bytes(16))


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(-100, 100), min_size=1))
def test_groups_with_enough_vectors_are_summed_and_the_others_are_lost(values):
    vectors = {node: to_ring(np.array([value, -value], np.int64)) for node, value in values.items()}
    enough = [group for group in GROUPS if sum(node in values for node in group) >= min(2, len(group))]
    if not enough:
        with pytest.raises(TooFewParties) as caught:
            opened_sums(session_of(), vectors, lambda size: min(2, size))
        assert set(caught.value.missing) == set("abcdef") - set(values)
        return
    opened = opened_sums(session_of(), vectors, lambda size: min(2, size))
    assert opened.members == tuple(tuple(node for node in group if node in values) for group in enough)
    sums = [sum(values[node] for node in members) for members in opened.members]
    assert opened.rows.tolist() == [[total, -total] for total in sums]
    assert [GROUPS[lost.group] for lost in opened.lost] == [group for group in GROUPS if group not in enough]
    for lost in opened.lost:
        assert set(lost.missing) == set(GROUPS[lost.group]) - set(values)


def test_summing_leaves_the_vectors_alone():
    vectors = {node: to_ring(np.array([1, 2], np.int64)) for node in "abcdef"}
    opened_sums(session_of(), vectors, lambda size: size)
    assert all(vector.tolist() == [1, 2] for vector in vectors.values())


def test_nothing_opened_names_everybody_missing():
    lost = [Lost(0, ("a", "b"), "1 of 3 answered, 3 needed"), Lost(1, ("d",), "0 of 1 answered, 1 needed")]
    with pytest.raises(TooFewParties, match="1 of 3 answered") as caught:
        opened_rows(session_of(), [], [], lost)
    assert caught.value.missing == ("a", "b", "d")


def test_a_sum_that_no_honest_members_could_have_is_lost_and_its_group_named():
    """Capacity 100 each: two members reach ±200, not ±201."""
    rows = [to_ring(np.array(row, np.int64)) for row in ([200, -200], [0, 101], [-201, 0])]
    opened = opened_rows(session_of(), rows, [("a", "b"), ("d",), ("e", "f")], [])
    assert opened.members == (("a", "b"),)
    assert opened.rows.tolist() == [[200, -200]]
    assert [(lost.group, lost.missing) for lost in opened.lost] == [(1, ()), (2, ())]
    with pytest.raises(TooFewParties, match="beyond ±100: a node sent more than it may"):
        opened_rows(session_of(), rows[1:2], [("d",)], [])


@pytest.mark.parametrize(
    "rows", [np.zeros((1, 2)), np.zeros(2, np.int64), np.zeros((2, 2), np.int64), np.zeros((1, 2), np.uint64)]
)
def test_rows_of_another_shape_or_type_are_refused(rows):
    with pytest.raises(ValueError, match="expected int64 rows for 1 groups"):
        Opened(rows, (("a",),))


def test_a_claimed_list_of_members_must_be_enough_different_nodes_of_the_group():
    check_members(session_of(), 0, ("a", "c"), lambda _: 2)
    for index, members, named in [
        (0, ("a",), "1 of the 3 nodes of group 0, 2 needed"),
        (0, ("a", "a"), "different"),
        (0, ("c", "a"), "order"),
        (0, ("a", "d"), "group 0"),
        (0, (), "0 of the 3"),
        (3, ("a", "c"), "no group 3"),
        (-1, ("e", "f"), "no group -1"),
    ]:
        with pytest.raises(ValueError, match=named):
            check_members(session_of(), index, members, lambda _: 2)
