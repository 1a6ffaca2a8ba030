import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from protocols.ring import Capacity, from_bytes, from_ring, to_bytes, to_ring

int64s = npst.arrays(np.int64, st.integers(0, 20))


@given(int64s)
def test_ring_and_integers_are_two_readings_of_the_same_bits(values):
    assert np.array_equal(from_ring(to_ring(values)), values)
    assert [int(r) for r in to_ring(values)] == [v % (1 << 64) for v in values.tolist()]


@given(int64s)
def test_bytes_come_back_as_they_went(values):
    data = to_bytes(to_ring(values))
    assert data == b"".join((v % (1 << 64)).to_bytes(8, "little") for v in values.tolist())
    assert np.array_equal(from_bytes(data), to_ring(values))


def test_words_travel_little_endian_whatever_the_array_says():
    assert to_bytes(np.array([1, 258], ">u8")).hex() == "01000000000000000201000000000000"


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.uint64, object])
def test_only_int64_enters_the_ring(dtype):
    with pytest.raises(ValueError, match="expected int64"):
        to_ring(np.zeros(2, dtype))


capacities = st.builds(
    Capacity, bound=st.integers(1, 1 << 40), nodes=st.integers(1, 1 << 20), tail=st.integers(0, 1 << 40)
)


@given(capacities, st.data())
def test_a_sum_within_capacity_never_wraps(capacity, data):
    nodes = data.draw(st.integers(1, min(capacity.nodes, 6)))
    top = capacity.largest_input  # of every node: malicious ones need not keep to one tail together
    inputs = [data.draw(st.integers(-top, top) | st.sampled_from([-top, top])) for _ in range(nodes)]
    vectors = [np.array([value], np.int64) for value in inputs]
    for vector in vectors:
        capacity.check(vector)
    total = sum((to_ring(vector) for vector in vectors), np.zeros(1, np.uint64))
    assert from_ring(total).tolist() == [sum(inputs)]


@pytest.mark.parametrize(
    ("bound", "nodes", "tail"),
    [(1 << 63, 1, 0), ((1 << 62), 2, 0), (1, 1, (1 << 63) - 1), (1, 4, 1 << 61), (1, 4, 1 << 62)],
)
def test_a_capacity_that_could_wrap_is_refused_with_its_numbers(bound, nodes, tail):
    with pytest.raises(ValueError, match=rf"{nodes} nodes × \(bound {bound} \+ noise tail {tail}\)"):
        Capacity(bound, nodes, tail)


def test_the_largest_capacity_is_one_below_the_wrap():
    assert Capacity(1, 1, (1 << 63) - 2).largest_sum == (1 << 63) - 1
    assert Capacity(1, 7, ((1 << 63) - 1) // 7 - 1).largest_row == (1 << 63) - 1


WIDTHS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


@pytest.mark.parametrize("width", WIDTHS)
@given(data=st.data())
def test_a_capacity_of_numpys_integers_is_that_of_pythons(width, data):
    top = min(int(np.iinfo(width).max), 1 << 20)
    plan = [data.draw(st.integers(low, top)) for low in (1, 1, 0)]
    capacity = Capacity(*map(width, plan))
    assert capacity == Capacity(*plan)
    assert capacity.largest_sum == plan[0] * plan[1] + plan[2]
    assert {type(capacity.bound), type(capacity.nodes), type(capacity.tail)} == {int}


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("value", [1e3, 1.0, np.float64(2), True, np.True_, "5", None, np.array([5])])
def test_a_capacity_of_anything_but_integers_is_refused_by_name(at, value):
    plan = [5, 5, 5]
    plan[at] = value
    with pytest.raises(ValueError, match=rf"{('bound', 'nodes', 'tail')[at]} must be an integer, got"):
        Capacity(*plan)


@pytest.mark.parametrize(("bound", "nodes", "tail"), [(0, 1, 0), (1, 0, 0), (1, 1, -1)])
def test_a_capacity_of_nothing_is_refused(bound, nodes, tail):
    with pytest.raises(ValueError, match="a capacity needs"):
        Capacity(bound, nodes, tail)


@given(st.integers(0, 4), st.sampled_from([11, -11, -(1 << 63), (1 << 63) - 1]))
def test_the_coordinate_that_is_too_large_is_named(where, value):
    vector = np.zeros(5, np.int64)
    vector[where] = value
    with pytest.raises(ValueError, match=rf"coordinate {where} is {value}; .*±10"):
        Capacity(bound=7, nodes=3, tail=3).check(vector)


def test_a_vector_at_the_edge_is_accepted():
    Capacity(bound=7, nodes=3, tail=3).check(np.array([10, -10]))
