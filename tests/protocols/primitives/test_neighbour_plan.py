from math import comb

import pytest

from protocols.primitives.neighbour_plan import (
    LARGEST_COMPLETE,
    LIVENESS_BITS,
    SECURITY_BITS,
    TRIES_BITS,
    NeighbourPlan,
    part_of,
    plan,
    smallest_threshold,
)

RATES = [(0.05, 0.05), (0.1, 0.1), (0.2, 0.1), (0.33, 0.1)]
# Up to 1,000 nodes searched for apart from this code, in exact integers.
SIZES = {
    100: [(30, 16), (42, 22), (54, 28), (78, 40)],
    1_000: [(32, 18), (50, 27), (74, 45), (114, 78)],
    10_000: [(38, 21), (60, 32), (90, 54), (140, 95)],
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


def live(size, alive, neighbours, threshold):
    """Whether the neighbours of a silent node, and of one that answers, are enough but for 2^-30."""
    silent = tail(size - 1, min(alive, size - 1), neighbours, 0, threshold)
    answering = tail(size - 1, alive - 1, neighbours, 0, threshold - 1)
    return all(at_most(fewer, size, LIVENESS_BITS) for fewer in (silent, answering))


@pytest.mark.parametrize(("size", "rates", "expected"), CASES)
def test_the_curious_plan_is_the_published_table(size, rates, expected):
    assert plan(size, *rates, malicious=False) == NeighbourPlan(*expected, SECURITY_BITS, 0)


@pytest.mark.parametrize(("size", "rates", "expected"), CASES)
def test_the_curious_plan_keeps_to_its_bounds_in_exact_integers(size, rates, expected):
    (corrupt, dropout), (neighbours, threshold) = rates, expected
    assert 2 * threshold > neighbours + 1
    faulty, alive = int(corrupt * size), size - int(dropout * size)
    assert at_most(tail(size - 1, faulty, neighbours, threshold, neighbours + 1), size, SECURITY_BITS)
    assert live(size, alive, neighbours, threshold)
    # half of a neighbourhood in a row is corrupt or silent
    bad = faulty + size - alive
    half = neighbours // 2
    assert at_most(tail(size, bad, half, half, half + 1), size, SECURITY_BITS)


@pytest.mark.parametrize(
    ("size", "rates"), [(100, RATES[0]), (300, RATES[1]), (1000, RATES[0]), (10_000, (0.02, 0.02))]
)
def test_the_lying_plan_keeps_to_the_conditions_of_its_proof_in_exact_integers(size, rates):
    corrupt, dropout = rates
    planned = plan(size, *rates, malicious=True)
    holders, faulty = planned.neighbours + 1, int(corrupt * size)
    # the largest c that the two conditions of the proof leave room for
    most = min((3 * planned.threshold - 2 * holders - 2) // 2, planned.threshold - (holders + 3) // 2)
    assert 3 * planned.threshold > 2 * holders + 2 * most + 1
    assert planned.threshold >= most + (holders + 3) // 2
    assert (planned.draw_bits, planned.tries_bits) == (SECURITY_BITS + TRIES_BITS, TRIES_BITS)
    assert at_most(tail(size - 1, faulty, planned.neighbours, most + 1, holders), size, planned.draw_bits)
    alive = size - int(dropout * size)
    assert live(size, alive, planned.neighbours, planned.threshold)


@pytest.mark.parametrize("malicious", [False, True])
def test_no_smaller_graph_would_do(malicious):
    for rates in RATES[:2]:
        planned = plan(1000, *rates, malicious=malicious)
        for neighbours in range(2, min(planned.neighbours, 256), 2):
            threshold = smallest_threshold(
                1000, neighbours, *rates, malicious=malicious, draw_bits=planned.draw_bits
            )
            alive = 1000 - int(rates[1] * 1000)
            assert threshold > neighbours or not live(1000, alive, neighbours, threshold)


def test_a_malicious_aggregator_costs_more_neighbours():
    for rates in RATES[:3]:
        assert plan(1000, *rates, malicious=True).neighbours > plan(1000, *rates, malicious=False).neighbours


@pytest.mark.parametrize("size", [1, 2, 3, LARGEST_COMPLETE])
def test_small_groups_use_the_complete_graph(size):
    assert plan(size, 0.05, 0.05, malicious=False) is None
    assert plan(size, 0.0, 0.0, malicious=True) is None


def test_rates_that_no_sparse_graph_answers_use_the_complete_graph():
    assert plan(200, 0.5, 0.5, malicious=False) is None
    assert plan(100, 0.4, 0.1, malicious=True) is None


@pytest.mark.parametrize(("rate", "nodes"), [(0.29, 29), (0.57, 57), (0.07, 7), (0.285, 28), (0, 0)])
def test_a_fraction_is_taken_as_it_is_written(rate, nodes):
    assert part_of(100, rate) == nodes


def test_more_nodes_need_hardly_more_neighbours():
    most, fewest = (plan(size, 0.05, 0.05, malicious=False).neighbours for size in (100_000, 1000))
    assert most <= 1.25 * fewest
