import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.grouping import one_group, shuffled, singletons


def names(count):
    return [f"node-{i}" for i in range(count)]


@given(st.integers(1, 60), st.data())
def test_shuffled_groups_cover_every_node_once_and_none_is_too_small(count, data):
    size = data.draw(st.integers(1, count))
    groups = shuffled(names(count), size, np.random.default_rng(data.draw(st.integers(0, 9))))
    assert sorted(node for group in groups for node in group) == sorted(names(count))
    sizes = [len(group) for group in groups]
    assert min(sizes) >= size
    assert max(sizes) - min(sizes) <= 1
    assert len(groups) == count // size


def test_the_same_generator_draws_the_same_groups_and_another_others():
    one, same, other = (shuffled(names(30), 5, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_every_node_meets_every_other():
    met = set()
    for seed in range(200):
        for group in shuffled(names(6), 2, np.random.default_rng(seed)):
            met |= {(a, b) for a in group for b in group if a < b}
    assert len(met) == 15


def test_one_group_and_singletons_are_the_ends_of_the_dial():
    assert one_group(names(3)) == (("node-0", "node-1", "node-2"),)
    assert singletons(names(3)) == (("node-0",), ("node-1",), ("node-2",))


@pytest.mark.parametrize("size", [-1, 0, 4])
def test_a_size_that_no_grouping_has_is_refused(size):
    with pytest.raises(ValueError, match=f"between 1 and .*3.*, got {size}"):
        shuffled(names(3), size, np.random.default_rng(1))
