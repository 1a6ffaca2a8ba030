"""A plan that `Capacity` accepts holds every sum that its nodes can send: adversarial draws."""

import numpy as np
import pytest

from protocols.ring import Capacity

DRAWS = 100_000


def adversarial(rng):
    """Bounds, nodes and tails whose largest sum lies around 2^63, most of them within a few units of it."""
    nodes = np.exp(rng.uniform(0, np.log(1e6), DRAWS)).astype(np.uint64)
    room = np.uint64(1 << 63)
    tail = np.where(rng.random(DRAWS) < 0.5, 0, np.exp(rng.uniform(0, 43, DRAWS)).astype(np.uint64)).astype(
        np.uint64
    )
    tail = np.minimum(tail, room // nodes // np.uint64(2))
    exact = room // nodes - tail
    bound = exact + rng.integers(-2, 3, DRAWS).astype(np.uint64)
    return np.maximum(bound, 1), nodes, tail


def test_no_accepted_plan_wraps_in_adversarial_draws():
    bound, nodes, tail = adversarial(np.random.default_rng(11))
    accepted = np.array(
        [accepts(*plan) for plan in zip(bound.tolist(), nodes.tolist(), tail.tolist(), strict=True)]
    )
    assert 0.2 < accepted.mean() < 0.8
    bound, nodes, tail = bound[accepted], nodes[accepted], tail[accepted]
    for sign in (np.uint64(1), np.uint64((1 << 64) - 1)):
        # what the ring makes of all nodes at the most that they may send, all with one sign
        with np.errstate(over="ignore"):
            row = sign * (bound + tail) * nodes
        opened = row.view(np.int64)
        # the same sum in halves, each small enough for floats to tell a wrapped sum from an honest one
        honest = (bound.astype(np.float64) + tail) * nodes
        assert (np.sign(opened.astype(np.float64)) == (1 if sign == 1 else -1)).all()
        assert (abs(abs(opened.astype(np.float64)) - honest) <= 2e-15 * honest).all()


def accepts(bound, nodes, tail):
    try:
        Capacity(bound, nodes, tail)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("nodes", [1, 2, 3, 1000, 1024, 1030, 2**20])
def test_the_last_bound_that_fits_is_accepted_and_the_next_refused(nodes):
    largest = ((1 << 63) - 1) // nodes
    assert Capacity(largest, nodes).largest_sum < 1 << 63
    with pytest.raises(ValueError, match="could wrap"):
        Capacity(largest + 1, nodes)
