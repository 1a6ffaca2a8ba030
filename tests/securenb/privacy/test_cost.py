"""Costs are data: what composes adds up, what is chosen counts at its worst, at every order."""

import math
from fractions import Fraction

import numpy as np
import pytest

from securenb.privacy.accountant import ORDERS, Query, renyi_epsilon
from securenb.privacy.cost import (
    NOTHING,
    Either,
    Pure,
    Together,
    epsilon_at,
    fixed,
    pure,
    renyi,
    together,
)
from securenb.privacy.distributions import Polya, Skellam
from securenb.privacy.mechanisms.skellam import Skellam as SkellamMechanism
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema

LAPLACE = Query(Polya(Fraction(21)), 1, 21)
SKELLAM = Query(Skellam(Fraction(40_000)), 16, 3)


def test_parts_add_up_and_the_costliest_option_counts():
    assert pure(NOTHING) == 0
    assert pure(Together((LAPLACE, Pure(Fraction(1, 2))), 2)) == 3
    assert pure(Either((LAPLACE, Pure(Fraction(1, 2))))) == 1
    both = renyi(Together((LAPLACE, SKELLAM)), ORDERS)
    assert np.array_equal(both, renyi(LAPLACE, ORDERS) + renyi(SKELLAM, ORDERS))
    worst = renyi(Either((LAPLACE, SKELLAM)), ORDERS)
    assert np.array_equal(worst, np.maximum(renyi(LAPLACE, ORDERS), renyi(SKELLAM, ORDERS)))


def test_one_part_without_a_largest_loss_leaves_none():
    for cost in (SKELLAM, Together((LAPLACE, SKELLAM)), Either((LAPLACE, SKELLAM))):
        assert pure(cost) is None
        assert epsilon_at(cost, 0) is None


def test_epsilon_at_a_delta_is_that_of_renyi_accounting_and_never_above_the_pure_one():
    assert float(epsilon_at(Together((SKELLAM,)), 1e-6)) == renyi_epsilon([SKELLAM], 1e-6)
    assert epsilon_at(Pure(Fraction(1)), 1e-30) == 1
    assert float(epsilon_at(Pure(Fraction(1)), 0.5)) < 1


def test_a_pure_loss_diverges_no_more_than_randomised_response_and_no_less():
    epsilon = 0.7
    p = 1 / (1 + math.exp(-epsilon))
    orders = np.array([2, 3, 10, 100])
    true = np.log(p**orders * (1 - p) ** (1 - orders) + (1 - p) ** orders * p ** (1 - orders)) / (orders - 1)
    bound = renyi(Pure(Fraction("0.7")), orders)
    assert (true <= bound).all()
    assert (bound <= 1.6 * true).all()


def test_equal_costs_are_counted_and_choices_are_never_flattened():
    cost = together([LAPLACE, SKELLAM, LAPLACE])
    assert cost == Together((Together((LAPLACE,), 2), SKELLAM))
    assert fixed(cost) == (Query(LAPLACE.distribution, 1, 42), SKELLAM)
    assert fixed(Either((cost,))) == fixed(cost)
    assert fixed(Together((cost, Either((LAPLACE, SKELLAM))))) is None


def test_two_records_of_a_person_cost_more_than_twice_as_much_up_to_a_delta():
    schema = Schema(("a", "b"), (Categorical("c", ("x", "y")), Numeric("n", 0, 1)))
    mechanism = SkellamMechanism.from_epsilon(10, 1e-6)
    one, two = (epsilon_at(mechanism.cost(schema, "add-remove", 1, 1, cap), 1e-6) for cap in (1, 2))
    assert float(two) == pytest.approx(24.4, abs=0.3)
    assert two > 2 * one
