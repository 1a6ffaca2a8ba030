"""Costs add up as derived, agree with closed forms, and the tight bound is never above the loose one."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from securenb.privacy.accountant import (
    Query,
    calibrated,
    least_epsilon,
    loss_delta,
    loss_epsilon,
    pure_epsilon,
    renyi_epsilon,
)
from securenb.privacy.distributions import DiscreteGaussian, Polya, Skellam

DELTA = 1e-6


def polya_pmf(doses, scale, reach):
    """By convolution, far enough out that what is cut off does not show."""
    j = np.arange(0, 60 * scale)
    half = stats.nbinom(doses, -math.expm1(-1 / scale)).pmf(j)
    both = np.convolve(half, half[::-1])
    return both[len(j) - 1 - reach : len(j) + reach]


@pytest.mark.parametrize("doses", [Fraction(1, 9), Fraction(1, 2), Fraction(5, 6)])
@pytest.mark.parametrize("shift", [1, 7])
def test_a_share_costs_the_largest_ratio_of_its_probabilities(doses, shift):
    reach = 60
    pmf = polya_pmf(float(doses), 12, reach)
    ratios = np.log(pmf[: len(pmf) - shift] / pmf[shift:])
    pure = float(Polya(Fraction(12), doses).pure(shift))
    assert np.abs(ratios).max() <= pure <= np.abs(ratios).max() + 1e-3


def test_the_price_of_a_small_share_grows_with_the_logarithm_of_the_scale():
    # almost all of its mass is at zero, and what is not is spread over the scale
    wide = Polya(Fraction(10**6), Fraction(1, 667)).pure(30_000)
    narrow = Polya(Fraction(1000), Fraction(1, 667)).pure(30)
    assert abs(float(wide) - float(narrow) - math.log(1000)) < 0.05


def test_a_dose_costs_exactly_shift_over_scale():
    assert Polya(Fraction(21)).pure(2) == Fraction(2, 21)
    assert pure_epsilon([Query(Polya(Fraction(21)), 1, 21)]) == 1


@pytest.mark.parametrize("times", [1, 5])
def test_the_loss_distribution_gives_the_delta_of_randomised_response(times):
    # noise of scale s against a shift of 1 is randomised response with epsilon 1/s
    epsilon = 0.3
    query = Query(Polya(Fraction(10, 3)), 1, times)
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    k = np.arange(times + 1)
    for target in (0.1, 0.5, 1.0):
        losses = (2 * k - times) * epsilon
        expected = (stats.binom(times, p).pmf(k) * np.maximum(0, -np.expm1(target - losses))).sum()
        assert expected <= loss_delta([query], target) <= expected + 4e-4


@pytest.mark.parametrize("law", [Skellam(Fraction(40_000)), DiscreteGaussian(Fraction(40_000))])
@pytest.mark.parametrize("times", [1, 21])
def test_fine_noise_costs_what_a_gaussian_costs(law, times):
    mu = math.sqrt(times) * 16 / 200
    epsilon = loss_epsilon([Query(law, 16, times)], DELTA)
    gaussian = stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(
        -mu / 2 - epsilon / mu
    )
    assert abs(math.log(gaussian / DELTA)) < 0.05


@pytest.mark.parametrize(
    "law",
    [Polya(Fraction(21)), Skellam(Fraction(100)), DiscreteGaussian(Fraction(100)), Skellam(Fraction(2))],
)
@pytest.mark.parametrize("times", [1, 23])
@pytest.mark.parametrize("delta", [1e-3, 1e-8])
def test_the_tight_bound_is_no_looser_than_renyi(law, times, delta):
    queries = [Query(law, 1, times)]
    tight = loss_epsilon(queries, delta)
    assert tight <= 1.001 * renyi_epsilon(queries, delta)
    assert least_epsilon(queries, delta) <= tight
    assert abs(math.log(loss_delta(queries, tight) / delta)) < 0.05 or tight == 0


def test_the_skellam_mechanism_costs_at_most_a_hundredth_more_than_a_gaussian():
    for relative in (6, 200, 10**6):  # variance over squared shift at epsilon of about 10, 1 and 0.02
        skellam, gaussian = (
            renyi_epsilon([Query(law(Fraction(relative * 256)), 16, 21)], DELTA)
            for law in (Skellam, DiscreteGaussian)
        )
        assert gaussian <= skellam < 1.01 * gaussian


def test_a_sum_of_wide_discrete_gaussians_costs_no_more_than_one_and_of_narrow_ones_much_more():
    one, many = (renyi_epsilon([Query(DiscreteGaussian(Fraction(900), n), 1, 4)], DELTA) for n in (1, 100))
    assert one <= many < 1.001 * one
    assert renyi_epsilon([Query(DiscreteGaussian(Fraction(900), 2000), 1, 4)], DELTA) > 2 * one
    assert math.isinf(renyi_epsilon([Query(DiscreteGaussian(Fraction(900), 4000), 1, 4)], DELTA))


def test_calibration_is_close_and_never_below():
    found = calibrated(0.5, lambda amount: 3 / float(amount))
    assert 6 <= found <= 6 * 1.001


def test_noise_that_cannot_reach_an_epsilon_is_refused():
    with pytest.raises(ValueError, match=r"no amount of noise brings epsilon down to 0\.5"):
        calibrated(0.5, lambda amount: 1.0)
