import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.primitives.topology import connected, erdos_renyi, neighbours

topologies = st.sampled_from(["complete", "ring", "regular", "erdos-renyi"])


@given(topologies, st.integers(2, 40), st.sampled_from([2, 4, 6]), st.binary(max_size=4))
def test_graphs_are_connected_undirected_and_without_loops(topology, size, degree, seed):
    try:
        graph = neighbours(topology, size, degree, seed)
    except ValueError as error:
        assert "were not connected" in str(error)  # noqa: PT017 - rare, and only for sparse random graphs
        assert topology == "erdos-renyi"
        return
    assert len(graph) == size
    assert connected(graph)
    for node, near in enumerate(graph):
        assert node not in near
        assert list(near) == sorted(set(near))
        assert all(node in graph[other] for other in near)


@given(st.integers(3, 40), st.sampled_from([2, 4, 6]), st.binary(max_size=4))
def test_degrees_are_what_the_topology_says(size, degree, seed):
    assert {len(near) for near in neighbours("complete", size, degree, seed)} == {size - 1}
    assert {len(near) for near in neighbours("ring", size, degree, seed)} == {2}
    assert {len(near) for near in neighbours("regular", size, degree, seed)} == {min(degree, size - 1)}


def test_a_ring_stands_in_the_order_of_its_nodes():
    assert neighbours("ring", 4, 4, b"") == ((1, 3), (0, 2), (1, 3), (0, 2))


def test_the_same_seed_draws_the_same_graph_and_another_another():
    for topology in ("regular", "erdos-renyi"):
        one, same, other = (neighbours(topology, 30, 4, seed) for seed in (b"1", b"1", b"2"))
        assert one == same != other


def test_random_edges_are_as_frequent_as_they_should_be():
    edges = sum(len(near) for near in erdos_renyi(200, 0.3, bytes(32))) / 2
    assert abs(edges - 0.3 * 19_900) < 5 * 65  # five standard deviations of a binomial
    assert all(near == () for near in erdos_renyi(20, 0.0, bytes(32)))


def test_a_graph_in_two_pieces_is_not_connected():
    assert not connected(((1,), (0,), (3,), (2,)))
    with pytest.raises(
        ValueError, match="64 random graphs of 400 nodes with mean degree 2 were not connected"
    ):
        neighbours("erdos-renyi", 400, 2, b"")


@pytest.mark.parametrize(
    ("topology", "degree", "reason"),
    [
        ("star", 4, "unknown topology 'star'; known: complete"),
        ("regular", 3, "even .*got 3"),
        ("ring", 1, "got 1"),
    ],
)
def test_a_graph_that_cannot_be_is_refused(topology, degree, reason):
    with pytest.raises(ValueError, match=reason):
        neighbours(topology, 10, degree, b"")
