import numpy as np
import pytest

from protocols.engines.gossip_rounds import Trace, push_sum
from protocols.primitives.topology import neighbours

VECTORS = np.random.default_rng(1).normal(10, 3, (100, 5))


def trace(topology="complete", rounds=60, seed=2, **options):
    graph = neighbours(topology, 100, 6, b"seed")
    return push_sum(VECTORS, graph, rounds, np.random.default_rng(seed), **options)


def test_every_node_converges_to_the_sum():
    found = trace()
    assert found.errors[-1] < 1e-8
    assert found.messages == 60 * 100
    assert found.left == 0


def test_the_error_falls_by_a_constant_factor_a_round():
    errors = np.log2(trace(rounds=80).errors)
    slope = np.polyfit(np.arange(20, 80), errors[20:], 1)[0]
    assert -1.0 < slope < -0.3  # Kempe et al.: the variance halves each round, the error by its root


def test_sparser_graphs_take_longer_and_a_ring_longest():
    complete, regular, ring = (
        trace(name, rounds=400).rounds_to(0.01) for name in ("complete", "regular", "ring")
    )
    assert complete < regular
    assert ring is None or ring > regular


def test_nodes_that_leave_bias_the_sum_for_good():
    calm, churn = trace(), trace(leave=0.002)
    assert churn.left > 0
    assert churn.messages < calm.messages
    assert churn.errors[-1] > 1e3 * calm.errors[-1]
    assert churn.rounds_to(1e-6) is None


def test_the_same_generator_tells_the_same_story():
    assert trace(leave=0.01) == trace(leave=0.01) != trace(leave=0.01, seed=3)


def test_rounds_to_counts_from_the_last_error_outside():
    found = Trace((0.5, 0.05, 0.2, 0.05, 0.01), 0, 0)
    assert found.rounds_to(1) == 1
    assert found.rounds_to(0.1) == 4
    assert found.rounds_to(0.05) == 4
    assert found.rounds_to(0.001) is None
    assert Trace((float("nan"),), 0, 1).rounds_to(1) is None


@pytest.mark.parametrize(
    ("vectors", "leave", "reason"),
    [
        (np.ones((99, 2)), 0.0, r"shape \(100, d\), got \(99, 2\)"),
        (np.ones(100), 0.0, r"got \(100,\)"),
        (np.zeros((100, 2)), 0.0, "zero"),
        (np.ones((100, 2)), 1.0, "below 1, got 1.0"),
        (np.ones((100, 2)), -0.1, "got -0.1"),
    ],
)
def test_a_simulation_that_makes_no_sense_is_refused(vectors, leave, reason):
    graph = neighbours("complete", 100, 4, b"")
    with pytest.raises(ValueError, match=reason):
        push_sum(vectors, graph, 3, np.random.default_rng(1), leave)
