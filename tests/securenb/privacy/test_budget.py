"""A budget holds for rounds that are chosen by the outcomes of earlier ones, and charges little too much."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.privacy.accountant import Query
from securenb.privacy.budget import Budget, Orders, fixed_epsilon
from securenb.privacy.cost import Either, Pure, renyi
from securenb.privacy.distributions import DiscreteGaussian, Polya
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.skellam import Skellam
from securenb.schema.features import Numeric
from securenb.schema.schema import Schema

DELTA = 1e-6
SCHEMA = Schema(("a", "b"), tuple(Numeric(f"n{index}", 0, 1) for index in range(6)))


def skellam(epsilon):
    return Skellam.from_epsilon(epsilon, DELTA).cost(SCHEMA, "add-remove", 1, 1)


@pytest.mark.parametrize(
    ("text", "epsilon", "delta"), [("3", 3, 0.0), ("0.1,1e-6", Fraction(1, 10), 1e-6), (" 2 , .5", 2, 0.5)]
)
def test_a_budget_is_read_as_it_is_written(text, epsilon, delta):
    assert Budget.parse(text) == Budget(Fraction(epsilon), delta)


@pytest.mark.parametrize(
    "text", ["1,", "1,0", "1,1", "1,-1", "1,nan", "1,x", "1,1e-6,2", ",1e-6", "0", "", "x"]
)
def test_what_is_no_budget_is_refused_with_what_was_written(text):
    with pytest.raises(ValueError, match="got"):
        Budget.parse(text)


@pytest.mark.parametrize(
    "parts",
    [
        (),
        ((1, Fraction(1)),),
        ((2, Fraction(1)), (2, Fraction(1))),
        ((2, Fraction(0)),),
        ((2, Fraction(3, 2)),),
    ],
)
def test_parts_of_delta_are_positive_and_at_most_delta(parts):
    with pytest.raises(ValueError, match="orders|delta"):
        Orders(parts)


@given(epsilon=st.fractions("1/1000", 1000), delta=st.floats(1e-12, 0.5))
def test_every_budget_has_orders_with_parts_of_one_delta(epsilon, delta):
    orders = Orders.best_for(Budget(epsilon, delta))
    assert sum(part for _, part in orders.parts) == 1


def test_pure_costs_add_up_exactly_whatever_the_delta():
    costs = [Pure(Fraction(1, 10))] * 10
    assert Orders.best_for(Budget(Fraction(1))).epsilon(costs, 0.0) == 1
    assert Orders.best_for(Budget(Fraction(1), 1e-12)).epsilon(costs[:2], 1e-12) == Fraction(1, 5)


@pytest.mark.parametrize(
    ("rounds", "epsilon", "most"), [(10, "0.1", 0.36), (100, "0.1", 1.22), (50, "1", 9.1)]
)
def test_many_rounds_cost_far_less_than_their_sum(rounds, epsilon, most):
    costs = [skellam(epsilon)] * rounds
    spent = float(Orders.best_for(Budget(Fraction(str(most)), DELTA)).epsilon(costs, DELTA))
    assert spent <= most < 0.4 * rounds * float(epsilon)


def test_without_a_delta_nothing_bounds_noise_like_a_gaussian():
    assert Orders.best_for(Budget(Fraction(1))).epsilon([skellam(1)], 0.0) is None


def test_rounds_fixed_in_advance_cost_less_still():
    laplace = DiscreteLaplace.from_epsilon("0.1").cost(SCHEMA, "add-remove", 1, 1)
    orders = Orders.best_for(Budget(Fraction(1), DELTA))
    assert fixed_epsilon([laplace] * 5, DELTA) < orders.epsilon([laplace] * 5, DELTA) <= Fraction(1, 2)
    assert fixed_epsilon([laplace] * 5, 0.0) is None
    assert fixed_epsilon([laplace, Either((laplace, Pure(Fraction(1))))], DELTA) is None


def excess(query, epsilon):
    """The least delta at `epsilon` of one query, exact but for rounding."""
    losses = query.distribution.losses(query.shift)
    return losses.beyond + float(losses.masses @ np.maximum(0, -np.expm1(epsilon - losses.values)))


def calibrated(made, enough):
    """The least noise, by bisection, at which `enough` says yes."""
    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(made(middle)) else (middle, high)
    return made(high)


def laplace(scale):
    return Query(Polya(Fraction(scale)), 1)


def gaussian(deviation):
    return Query(DiscreteGaussian(Fraction((16 * deviation) ** 2)), 16)


def test_rounds_chosen_by_outcomes_break_tight_accounting_and_not_the_budget():
    """After a round of .02 the next is chosen by what the first one said."""
    first, epsilon = Query(Polya(Fraction(50)), 1), 1.0
    outcomes = first.distribution.losses(1)

    def delta(choose):
        return sum(
            mass * choose(epsilon - loss) for loss, mass in zip(outcomes.values, outcomes.masses, strict=True)
        )

    def tight(second):
        return delta(lambda left: excess(second, left)) <= DELTA

    def budgeted(second):
        return Orders.best_for(Budget(Fraction(1), DELTA)).epsilon([first, second], DELTA) <= 1

    def chosen(accepted):
        seconds = [calibrated(made, accepted) for made in (laplace, gaussian)]
        assert all(tight(second) for second in seconds)  # each of them alone is fine
        return delta(lambda left: max(excess(second, left) for second in seconds))

    assert chosen(tight) == pytest.approx(1.31 * DELTA, rel=0.02)
    assert chosen(budgeted) <= DELTA


@given(st.lists(st.fractions("1/100", 2), min_size=1, max_size=6), st.integers(0, 5))
def test_no_order_of_rounds_and_no_further_round_makes_it_cheaper(losses, at):
    orders = Orders.best_for(Budget(Fraction(5), DELTA))
    costs = [Pure(loss) for loss in losses]
    assert orders.epsilon(costs, DELTA) == pytest.approx(orders.epsilon(costs[::-1], DELTA))
    assert orders.epsilon(costs[: at % len(costs)], DELTA) <= orders.epsilon(costs, DELTA)


def test_an_order_is_charged_its_own_part_of_delta_only():
    """Halving the parts is like halving delta: nothing is used twice."""
    cost = skellam(1)
    whole, half = (Orders(((40, Fraction(1, n)),)).epsilon([cost], DELTA) for n in (1, 2))
    alone = Orders(((40, Fraction(1)),)).epsilon([cost], DELTA / 2)
    assert half == alone > whole
    assert np.isfinite(renyi(cost, np.array([40]))).all()
