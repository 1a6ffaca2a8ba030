"""Discrete Laplace noise that spends little on the class count, where levels tell it."""

from fractions import Fraction

import numpy as np
import pytest

from securenb.federation.postprocess import noise_of_counts, variances
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.spec import choose_mechanism
from securenb.schema.features.binned import Binned
from securenb.schema.features.categorical import Categorical
from securenb.schema.features.numeric import Numeric
from securenb.schema.schema import Schema

LEVELS = Schema(("no", "yes"), (Categorical("a", ("x", "y", "z")), Binned("b", (0.0, 1.0, 2.0))))
MIXED = Schema(("no", "yes"), (Categorical("a", ("x", "y")), Numeric("n", 0.0, 1.0)))
NUMBERS = Schema(("no", "yes"), (Numeric("n", 0.0, 1.0),))


@pytest.mark.parametrize("schema", [LEVELS, MIXED])
@pytest.mark.parametrize("count", [0.01, 0.1, 0.3, 1])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "7"])
def test_a_row_costs_epsilon_to_the_last_digit_whatever_the_count_gets(schema, count, epsilon):
    charge = choose_mechanism(f"discrete_laplace(count={count})", epsilon).charge(schema, 4)
    assert charge.add_remove == Fraction(epsilon)
    assert charge.replace_one == 2 * Fraction(epsilon)
    assert not charge.delta


def test_what_the_count_does_not_get_the_others_have():
    even, little = DiscreteLaplace(Fraction(1)), DiscreteLaplace(Fraction(1), count=0.1)
    count, *others = LEVELS.blocks
    assert little.scale(LEVELS, count) == 10 * (2 + Fraction(1, 10))
    for block in others:
        assert little.scale(LEVELS, block) == 2 + Fraction(1, 10) < even.scale(LEVELS, block) == 3


def test_consistent_counts_lose_less_than_levels_gain():
    schema = Schema(("no", "yes"), tuple(Categorical(f"f{i}", ("x", "y")) for i in range(30)))
    even, little = (variances(DiscreteLaplace(Fraction(1), count), schema, 1, 1) for count in (1, 0.1))
    assert little[1] < 0.95 * even[1]
    assert noise_of_counts(schema, little) < 1.02 * noise_of_counts(schema, even)
    assert np.sqrt(noise_of_counts(schema, little)) < np.sqrt(little[1])


@pytest.mark.parametrize("count", [0, -1, 0.009, 1.1, float("nan")])
def test_a_part_that_gains_nothing_is_refused(count):
    with pytest.raises(ValueError, match="count must be from 0.01 to 1"):
        DiscreteLaplace(Fraction(1), count)


def test_a_count_that_nothing_else_tells_is_not_left_to_noise():
    with pytest.raises(ValueError, match="no feature has levels that tell it: leave count out"):
        DiscreteLaplace(Fraction(1), 0.1).charge(NUMBERS, 1)


def test_a_ledger_calls_even_spending_what_it_always_has():
    assert str(DiscreteLaplace(Fraction(1))) == "DiscreteLaplace(epsilon=1)"
    assert "count=0.1" in str(DiscreteLaplace(Fraction(1), 0.1))
