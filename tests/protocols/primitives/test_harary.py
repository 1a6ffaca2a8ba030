import numpy as np
import pytest

from protocols.primitives.harary import Complete, Harary, permutation

SEED = bytes(range(32))
GRAPHS = [Complete(1), Complete(7), Harary(5, 2, SEED), Harary(9, 8, SEED), Harary(40, 6, SEED)]


def name(graph):
    return f"{type(graph).__name__}-{graph.size}-{graph.holders}"


@pytest.mark.parametrize("graph", GRAPHS, ids=name)
def test_everybody_has_as_many_holders_each_once_and_is_one_itself(graph):
    for node in range(graph.size):
        around = graph.around(node)
        assert len(set(around)) == len(around) == graph.holders
        assert node in around
        assert all(type(holder) is int and 0 <= holder < graph.size for holder in around)


@pytest.mark.parametrize("graph", GRAPHS, ids=name)
def test_holding_is_mutual_and_places_are_mirrored(graph):
    for node in range(graph.size):
        for place, other in enumerate(graph.around(node)):
            assert graph.around(other)[graph.mirrored(place, node)] == node


def test_a_harary_graph_stays_connected_unless_half_a_neighbourhood_in_a_row_is_gone():
    graph = Harary(30, 6, SEED)
    circle = [int(node) for node in permutation(30, SEED)]

    def reached(gone):
        alive = set(range(30)) - set(gone)
        seen, todo = set(), [min(alive)]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += [other for other in graph.around(node) if other in alive]
        return seen == alive

    assert reached(circle[3:5] + circle[10:12] + circle[20:22])
    assert not reached(circle[3:6] + circle[20:23])


@pytest.mark.parametrize("degree", [0, 3, 10, 12, -2])
def test_a_degree_that_no_such_graph_has_is_refused(degree):
    with pytest.raises(ValueError, match=f"got {degree}"):
        Harary(10, degree, SEED)


def test_a_permutation_follows_from_its_seed_alone():
    assert sorted(permutation(1000, SEED)) == list(range(1000))
    assert (permutation(1000, SEED) == permutation(1000, SEED)).all()
    assert (permutation(1000, SEED) != permutation(1000, bytes(32))).mean() > 0.9


def test_every_order_is_equally_likely():
    rng = np.random.default_rng(3)
    orders = [tuple(permutation(4, rng.bytes(32))) for _ in range(4800)]
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    # chi-square with 23 degrees of freedom: 60 has probability below 4e-5
    assert ((counts - 200) ** 2 / 200).sum() < 60
