"""What every mechanism of ours promises beyond the checks that ship (`tests/contracts/test_checks.py`)."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from protocols.entropy import seeded
from securenb.privacy.mechanism import MECHANISMS, exact
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import ExactNoise, FastNoise
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1)))
PRIVATE = [name for name in MECHANISMS if MECHANISMS[name] is not NoNoise]
SHARED = [name for name in PRIVATE if MECHANISMS[name].divides]
EACH_AMONG = [(name, among) for name in PRIVATE for among in ((1, 6) if name in SHARED else (1,))]
PURE = [name for name in PRIVATE if not MECHANISMS[name].needs_delta]
DELTA = 1e-6


def made(name, epsilon):
    return MECHANISMS[name].from_epsilon(epsilon, DELTA if MECHANISMS[name].needs_delta else None)


def noise(seed=1):
    return FastNoise(np.random.default_rng(seed))


def test_without_noise_there_is_none_and_no_tail():
    assert not NoNoise().share(SCHEMA, 3, noise()).any()
    assert NoNoise().tail(SCHEMA, 3, 9) == 0


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "much"])
def test_an_epsilon_that_is_no_positive_number_is_refused(name, epsilon):
    with pytest.raises(ValueError, match="epsilon must be a positive number, got"):
        made(name, epsilon)


@pytest.mark.parametrize("name", PRIVATE)
def test_a_dose_of_no_shares_is_refused(name):
    mechanism = made(name, 1)
    with pytest.raises(ValueError, match="at least one share, got 0"):
        mechanism.share(SCHEMA, 0, noise())
    with pytest.raises(ValueError, match="at least one share, got 0"):
        mechanism.tail(SCHEMA, 0, 3)


@pytest.mark.parametrize(("name", "among"), EACH_AMONG)
@pytest.mark.parametrize("epsilon", ["0.01", "1", "10"])
def test_a_dose_costs_the_epsilon_it_was_made_for(name, epsilon, among):
    charge = made(name, epsilon).charge(SCHEMA, among)
    assert charge.delta == made(name, epsilon).delta
    if name in PURE:
        assert charge.add_remove == Fraction(epsilon)
        assert charge.replace_one == 2 * Fraction(epsilon)
    else:
        # calibrated to 1 part in 4 000 of the variance
        assert Fraction(epsilon) * Fraction(998, 1000) <= charge.add_remove <= Fraction(epsilon)
        assert charge.add_remove < charge.replace_one < 3 * charge.add_remove


@pytest.mark.parametrize("name", SHARED)
def test_fewer_shares_than_a_dose_cost_more_and_more_shares_never_cost_more(name):
    mechanism = made(name, 1)
    costs = [mechanism.charge(SCHEMA, 8, shares).add_remove for shares in (1, 2, 4, 7, 8, 12)]
    assert costs[:5] == sorted(costs[:5], reverse=True)
    assert costs[3] > costs[4] >= costs[5]


@pytest.mark.parametrize("name", [name for name in PRIVATE if name not in SHARED])
def test_a_dose_that_does_not_divide_is_added_whole_or_not_at_all(name):
    mechanism = made(name, 1)
    for asked in (
        lambda: mechanism.share(SCHEMA, 2, noise()),
        lambda: mechanism.tail(SCHEMA, 2, 3),
        lambda: mechanism.charge(SCHEMA, 2),
        lambda: mechanism.event(SCHEMA, 2, 2),
        lambda: mechanism.noise(SCHEMA, SCHEMA.blocks[0], 2),
    ):
        with pytest.raises(ValueError, match="a dose is added whole, not by 2 contributors"):
            asked()


@pytest.mark.parametrize(("name", "among"), EACH_AMONG)
def test_the_fast_and_the_exact_sampler_draw_from_the_same_distribution(name, among):
    mechanism = made(name, 2)
    fast, exact_ = FastNoise(np.random.default_rng(1)), ExactNoise(seeded(1)("noise"))
    for block in SCHEMA.blocks:
        law = mechanism.noise(SCHEMA, block, among)
        # ties make the Kolmogorov-Smirnov test conservative, never too eager
        assert stats.ks_2samp(law.draw(fast, 1500), law.draw(exact_, 1500)).pvalue > 1e-6


@pytest.mark.parametrize("name", [name for name in PRIVATE if name not in PURE])
@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-6, float("nan")])
def test_a_delta_that_is_no_probability_is_refused(name, delta):
    with pytest.raises(ValueError, match=f"delta must be between 0 and 1, got {delta}"):
        MECHANISMS[name].from_epsilon(1, delta)


@pytest.mark.parametrize("name", PRIVATE)
def test_delta_is_required_where_it_is_needed_and_refused_where_it_is_not(name):
    if name in PURE:
        with pytest.raises(ValueError, match="no use for delta 1e-06"):
            MECHANISMS[name].from_epsilon(1, DELTA)
    else:
        with pytest.raises(ValueError, match=f"{name} needs a delta"):
            MECHANISMS[name].from_epsilon(1)


def test_a_decimal_epsilon_is_what_a_person_meant():
    assert exact(0.1) == Fraction(1, 10)
    assert exact("1e-2") == Fraction(1, 100)
