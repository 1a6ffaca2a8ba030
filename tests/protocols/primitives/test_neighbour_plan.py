from math import comb

import pytest

from protocols.primitives.neighbour_plan import (
    LARGEST_COMPLETE,
    LIVENESS_BITS,
    SECURITY_BITS,
    NeighbourPlan,
    plan,
    smallest_threshold,
)

RATES = [(0.05, 0.05), (0.1, 0.1), (0.2, 0.1), (0.33, 0.1)]
# Computed apart from this code, with t >= k / 2; at 100 nodes, where that binds, we ask for t > k / 2.
SIZES = {
    100: [(30, 16), (42, 22), (54, 28), (78, 40)],
    1_000: [(34, 18), (52, 28), (74, 45), (114, 78)],
    10_000: [(38, 21), (60, 32), (90, 54), (140, 95)],
    # the last was (154, 104) there; (150, 101) keeps to the bounds as well, see the test in exact integers
    100_000: [(40, 22), (64, 34), (94, 57), (150, 101)],
}
CASES = [
    (size, rates, expected) for size, row in SIZES.items() for rates, expected in zip(RATES, row, strict=True)
]


def tail(size, marked, drawn, low, high):
    """P(low <= marked ones among the drawn < high) as (numerator, denominator), in exact integers."""
    ways = sum(comb(marked, x) * comb(size - marked, drawn - x) for x in range(low, high))
    return ways, comb(size, drawn)


def at_most(fraction, size, bits):
    """Whether size * fraction <= 2^-bits."""
    ways, everything = fraction
    return size * ways << bits <= everything


@pytest.mark.parametrize(("size", "rates", "expected"), CASES)
def test_the_curious_plan_is_the_published_table(size, rates, expected):
    assert plan(size, *rates, lying=False) == NeighbourPlan(*expected)


@pytest.mark.parametrize(("size", "rates", "expected"), CASES)
def test_the_curious_plan_keeps_to_its_bounds_in_exact_integers(size, rates, expected):
    (corrupt, dropout), (neighbours, threshold) = rates, expected
    assert 2 * threshold > neighbours + 1
    faulty, alive = int(corrupt * size), size - int(dropout * size)
    assert at_most(tail(size, faulty, neighbours, threshold, neighbours + 1), size, SECURITY_BITS)
    assert at_most(tail(size, alive, neighbours, 0, threshold), size, LIVENESS_BITS)
    # half of a neighbourhood in a row is corrupt or silent
    bad = faulty + size - alive
    half = neighbours // 2
    assert at_most(tail(size, bad, half, half, half + 1), size, SECURITY_BITS)


@pytest.mark.parametrize(
    ("size", "rates"), [(100, RATES[0]), (300, RATES[1]), (1000, RATES[0]), (10_000, (0.02, 0.02))]
)
def test_the_lying_plan_keeps_to_the_conditions_of_its_proof_in_exact_integers(size, rates):
    corrupt, dropout = rates
    planned = plan(size, *rates, lying=True)
    holders, faulty = planned.neighbours + 1, int(corrupt * size)
    # the largest c that the two conditions of the proof leave room for
    most = min((3 * planned.threshold - 2 * holders - 2) // 2, planned.threshold - (holders + 3) // 2)
    assert 3 * planned.threshold > 2 * holders + 2 * most + 1
    assert planned.threshold >= most + (holders + 3) // 2
    assert at_most(tail(size, faulty, planned.neighbours, most + 1, holders), size, SECURITY_BITS)
    alive = size - int(dropout * size)
    assert at_most(tail(size, alive, planned.neighbours, 0, planned.threshold), size, LIVENESS_BITS)


@pytest.mark.parametrize("lying", [False, True])
def test_no_smaller_graph_would_do(lying):
    for rates in RATES[:2]:
        planned = plan(1000, *rates, lying=lying)
        for neighbours in range(2, min(planned.neighbours, 256), 2):
            threshold = smallest_threshold(1000, neighbours, *rates, lying=lying)
            alive = 1000 - int(rates[1] * 1000)
            assert threshold > neighbours or not at_most(
                tail(1000, alive, neighbours, 0, threshold), 1000, LIVENESS_BITS
            )


def test_a_lying_aggregator_costs_more_neighbours():
    for rates in RATES[:3]:
        assert plan(1000, *rates, lying=True).neighbours > plan(1000, *rates, lying=False).neighbours


@pytest.mark.parametrize("size", [1, 2, 3, LARGEST_COMPLETE])
def test_small_groups_use_the_complete_graph(size):
    assert plan(size, 0.05, 0.05, lying=False) is None
    assert plan(size, 0.0, 0.0, lying=True) is None


def test_rates_that_no_sparse_graph_answers_use_the_complete_graph():
    assert plan(200, 0.5, 0.5, lying=False) is None
    assert plan(100, 0.33, 0.1, lying=True) is None


def test_more_nodes_need_hardly_more_neighbours():
    assert (
        plan(100_000, 0.05, 0.05, lying=False).neighbours
        < 1.2 * plan(1000, 0.05, 0.05, lying=False).neighbours
    )
