import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.primitives.push_sum import absolute, add, halves, integers, negated, schedule, widened

LIMIT = 1 << 126
wides = st.lists(st.integers(-LIMIT, LIMIT), min_size=1, max_size=5)


@given(wides, st.data())
def test_wide_integers_add_and_negate_as_integers_do(values, data):
    others = data.draw(st.lists(st.integers(-LIMIT, LIMIT - 1), min_size=len(values), max_size=len(values)))
    wide = widened(values, 0)
    assert integers(wide) == values
    assert integers(negated(wide)) == [-value for value in values]
    assert absolute(wide) == pytest.approx([float(abs(value)) for value in values], rel=1e-15)
    add(wide, widened(others, 0))
    assert integers(wide) == [a + b for a, b in zip(values, others, strict=True)]


@given(wides)
def test_halves_conserve_mass_to_the_last_bit(values):
    stays, goes = map(integers, halves(widened(values, 0)))
    assert [a + b for a, b in zip(stays, goes, strict=True)] == values
    assert all(0 <= a - b <= 1 for a, b in zip(stays, goes, strict=True))


@given(st.lists(st.integers(-(1 << 62), 1 << 62), min_size=1), st.integers(0, 64))
def test_widening_shifts(values, shift):
    assert integers(widened(values, shift)) == [value << shift for value in values]


def gossip(plan, vectors, masses=None):
    masses = masses or [plan.begin(vector) for vector in vectors]
    for row in plan.partners:
        pairs = [halves(mass) for mass in masses]
        masses = [stays for stays, _ in pairs]
        for (_, goes), partner in zip(pairs, row, strict=True):
            add(masses[partner], goes)
    return masses


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["complete", "ring", "regular", "erdos-renyi"]),
    st.integers(1, 12),
    st.sampled_from([1, 1000, 1 << 40, (1 << 62) // 12]),
    st.binary(max_size=2),
    st.data(),
)
def test_after_the_planned_rounds_every_node_has_the_exact_sum(topology, size, bound, seed, data):
    plan = schedule(topology, size, 4, bound, seed)
    extreme = st.sampled_from([-bound, bound]) | st.integers(-bound, bound)
    vectors = [np.array(data.draw(st.tuples(extreme, extreme)), np.int64) for _ in range(size)]
    expected = [sum(int(v[k]) for v in vectors) for k in range(2)]
    assert all(plan.total(mass).tolist() == expected for mass in gossip(plan, vectors))


def test_fewer_rounds_would_not_suffice():
    """The plan is not far too long: after half of its rounds the sums are not nearly whole numbers."""
    plan = schedule("complete", 20, 4, 1 << 40, b"seed")
    short = type(plan)(plan.partners[: plan.rounds // 2], plan.mass_shift, plan.weight_shift)
    first, *_ = gossip(short, [np.array([(1 << 40) * (-1) ** node]) for node in range(20)])
    with pytest.raises(ValueError, match="nearly a whole number"):
        short.total(first)


def test_mass_that_is_made_up_shows_unless_it_is_whole():
    plan = schedule("complete", 7, 4, 1000, b"seed")
    vectors = [np.array([1])] * 7
    for extra, whole in ((plan.mass_shift, True), (plan.mass_shift - 1, False)):
        masses = [plan.begin(vector) for vector in vectors]
        add(masses[2], np.hstack([widened([1], extra), widened([0], 0)]))
        (first, *_) = gossip(plan, vectors, masses)
        if whole:
            assert plan.total(first).tolist() == [8]
        else:
            with pytest.raises(ValueError, match="the sum is 7.500, and should be nearly a whole number"):
                plan.total(first)


def test_a_weight_of_nothing_shows():
    plan = schedule("complete", 7, 4, 1000, b"seed")
    with pytest.raises(ValueError, match="the weight is 0"):
        plan.total(widened([1, 0], 3))


def test_more_rounds_are_planned_for_larger_numbers_and_sparser_graphs():
    rounds = [schedule("complete", 20, 4, bound, b"").rounds for bound in (1, 1 << 20, 1 << 50)]
    assert rounds == sorted(set(rounds))
    assert schedule("ring", 20, 4, 1 << 20, b"").rounds > 5 * rounds[1]


def test_a_network_that_is_too_slow_is_refused():
    with pytest.raises(ValueError, match="ring among 90 nodes does not converge in 5000 rounds"):
        schedule("ring", 90, 4, 1 << 40, b"")
