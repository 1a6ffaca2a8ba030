"""What every mechanism promises, over the catalogue."""

import inspect
from fractions import Fraction

import numpy as np
import pytest

from securenb.feature import Categorical, Numeric
from securenb.mechanism import MECHANISMS, exact
from securenb.mechanisms.none import NoNoise
from securenb.noise import FastNoise
from securenb.schema import Schema

SCHEMA = Schema(("a", "b"), (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1)))
PRIVATE = [name for name in MECHANISMS if MECHANISMS[name] is not NoNoise]


def noise(seed=1):
    return FastNoise(np.random.default_rng(seed))


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_is_found_by_its_file_name_and_documented(name):
    assert inspect.getdoc(MECHANISMS[name])


@pytest.mark.parametrize("name", PRIVATE)
def test_every_cell_gets_noise_and_the_same_stream_gives_the_same_noise(name):
    mechanism = MECHANISMS[name].from_epsilon("0.1")
    share = mechanism.share(SCHEMA, 1, noise())
    assert share.shape == (SCHEMA.length,)
    assert share.dtype == np.int64
    assert np.array_equal(share, mechanism.share(SCHEMA, 1, noise()))
    spread = np.array([mechanism.share(SCHEMA, 1, noise(seed)) for seed in range(200)]).std(axis=0)
    assert (spread > 0).all()


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("among", [2, 5])
def test_a_complete_set_of_shares_has_the_variance_of_one_dose(name, among):
    mechanism = MECHANISMS[name].from_epsilon(1)
    rng = noise(7)
    doses = np.array([mechanism.share(SCHEMA, 1, rng) for _ in range(3000)])
    shared = np.array(
        [np.sum([mechanism.share(SCHEMA, among, rng) for _ in range(among)], axis=0) for _ in range(3000)]
    )
    # the variance of 3000 samples of kurtosis ≤ 6 has relative error ≤ 0.041: six of those for the ratio
    assert np.allclose(shared.var(axis=0) / doses.var(axis=0), 1, atol=6 * 0.041 * 2**0.5)
    # unbiased, within six standard errors
    assert (np.abs(shared.mean(axis=0)) < 6 * shared.std(axis=0) / 3000**0.5).all()


@pytest.mark.parametrize("name", MECHANISMS)
def test_noise_stays_within_the_planned_tail(name):
    mechanism = MECHANISMS[name].from_epsilon(1) if name in PRIVATE else NoNoise()
    tail = mechanism.tail(SCHEMA, 3, 9)
    rng = noise(2)
    for _ in range(300):
        total = np.sum([mechanism.share(SCHEMA, 3, rng) for _ in range(9)], axis=0)
        assert (np.abs(total) <= tail).all()


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "much"])
def test_an_epsilon_that_is_no_positive_number_is_refused(name, epsilon):
    with pytest.raises(ValueError, match="epsilon must be a positive number, got"):
        MECHANISMS[name].from_epsilon(epsilon)


@pytest.mark.parametrize("name", PRIVATE)
def test_a_dose_of_no_shares_is_refused(name):
    mechanism = MECHANISMS[name].from_epsilon(1)
    with pytest.raises(ValueError, match="at least one share, got 0"):
        mechanism.share(SCHEMA, 0, noise())
    with pytest.raises(ValueError, match="at least one share, got 0"):
        mechanism.tail(SCHEMA, 0, 3)


def test_a_decimal_epsilon_is_what_a_person_meant():
    assert exact(0.1) == Fraction(1, 10)
    assert exact("1e-2") == Fraction(1, 100)
