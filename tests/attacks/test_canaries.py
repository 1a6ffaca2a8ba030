from fractions import Fraction

import numpy as np
import pytest

from attacks.audit.canaries import guess, one_run, one_run_bound
from attacks.audit.layers import extreme_pair
from attacks.audit.target import Noised
from securenb.feature import Categorical
from securenb.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.mechanisms.skellam import Skellam
from securenb.schema import Schema

SCHEMA = Schema(("no", "yes"), (Categorical("colour", ("red", "green", "blue")),))


def node(epsilon, mechanism=None):
    claim = Fraction(epsilon)
    return Noised(SCHEMA, mechanism or DiscreteLaplace(claim), 1, 1, claim, 2 * claim)


def test_the_bound_is_the_limit_of_a_binomial_in_units_of_epsilon():
    # all of n right: p^n = alpha, so epsilon = logit(alpha^(1/n))
    p = 0.05 ** (1 / 100)
    assert one_run_bound(100, 100, 0.05) == pytest.approx(np.log(p / (1 - p)))
    assert one_run_bound(50, 100, 0.05) == 0
    assert one_run_bound(0, 100, 0.05) == 0


@pytest.mark.parametrize(("correct", "guesses"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(correct, guesses):
    with pytest.raises(ValueError, match="cannot be correct"):
        one_run_bound(correct, guesses, 0.05)


@pytest.mark.parametrize("seed", range(10))
def test_scores_that_know_nothing_bound_nothing(seed):
    rng = np.random.default_rng(seed)
    assert guess(rng.random(10_000), rng.random(10_000) < 0.5, 0.001) <= 0.02


@pytest.mark.parametrize("seed", range(10))
def test_an_honest_vector_is_never_above_its_claim(seed):
    found = one_run(node(4), extreme_pair(SCHEMA), 10_000, np.random.default_rng(seed))
    assert found.outcome == "PASS"


def test_canaries_reach_a_third_of_the_claim():
    found = one_run(node(4), extreme_pair(SCHEMA), 10_000, np.random.default_rng(0))
    assert float(found.evidence[0].split("lower bound ")[1].split(",")[0]) >= 0.3 * 4


def test_a_vector_with_a_tenth_of_its_noise_is_caught():
    found = one_run(
        node(1, DiscreteLaplace(Fraction(10))), extreme_pair(SCHEMA), 10_000, np.random.default_rng(0)
    )
    assert found.outcome == "FAIL"


def test_a_mechanism_with_a_delta_is_not_judged():
    mechanism = Skellam.from_epsilon(1, 1e-6)
    found = one_run(node(1, mechanism), extreme_pair(SCHEMA), 100, np.random.default_rng(0))
    assert found.outcome == "INCONCLUSIVE"
