import numpy as np
import pytest

from protocols.engines.faults import NO_FAULTS, Faults, at_any_stage, before, within
from protocols.engines.transcript import Frame

FRAME = Frame("a", "b", bytes(range(40)))


@pytest.mark.parametrize("fault", ["lose", "repeat", "corrupt", "hold"])
def test_a_random_fault_needs_a_generator(fault):
    with pytest.raises(ValueError, match="need a generator"):
        Faults(**{fault: 0.1})
    with pytest.raises(ValueError, match="need a generator"):
        Faults(reorder=True)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_that_is_no_probability_is_refused(rate):
    with pytest.raises(ValueError, match="lose is a probability"):
        Faults(rng=np.random.default_rng(1), lose=rate)


def test_a_good_network_delivers_in_order():
    assert NO_FAULTS.carry(FRAME) == ([FRAME], [])
    assert NO_FAULTS.pick(5) == 0


def test_certain_faults_are_certain():
    def carry(**faults):
        return Faults(rng=np.random.default_rng(1), **faults).carry(FRAME)

    assert carry(lose=1) == ([], [])
    assert carry(repeat=1) == ([FRAME, FRAME], [])
    assert carry(hold=1) == ([], [FRAME])
    assert carry(repeat=1, hold=1) == ([], [FRAME, FRAME])
    (damaged,), late = carry(corrupt=1)
    assert late == []
    assert sum(x != y for x, y in zip(damaged.data, FRAME.data, strict=True)) == 1


def test_faults_happen_as_often_as_they_should():
    faults = Faults(rng=np.random.default_rng(1), lose=0.3)
    lost = sum(faults.carry(FRAME) == ([], []) for _ in range(2000))
    assert abs(lost - 600) < 5 * 20.5


def test_every_place_in_the_queue_is_picked():
    faults = Faults(rng=np.random.default_rng(1), reorder=True)
    assert {faults.pick(3) for _ in range(100)} == {0, 1, 2}


def test_a_party_falls_silent_before_a_turn_or_within_it():
    turns, rng = [2, 1, 3], np.random.default_rng(1)
    assert [before(turns, stage) for stage in range(4)] == [0, 2, 3, 6]
    assert {within(turns, 0, rng) for _ in range(20)} == {1}
    assert {within(turns, 2, rng) for _ in range(60)} == {4, 5}
    with pytest.raises(ValueError, match="turn 1 has 1 frames"):
        within(turns, 1, rng)


def test_a_stage_drawn_at_random_may_be_any_but_the_end():
    rng = np.random.default_rng(1)
    assert {at_any_stage([2, 1, 3], rng) for _ in range(300)} == set(range(6))
    assert at_any_stage([], rng) == 0
