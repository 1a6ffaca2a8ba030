"""OpenDP draws the same distributions as we do, and prices a shift of them alike."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from protocols.entropy import seeded
from securenb.privacy.accountant import Query, pure_epsilon
from securenb.privacy.distributions import DiscreteGaussian, Polya
from securenb.privacy.samplers import ExactNoise, FastNoise

dp = pytest.importorskip("opendp.prelude", reason="OpenDP is not installed (extra `oracle`)")

FALSE_ALARM = 1e-6
SPACE = (dp.atom_domain(T=int), dp.absolute_distance(T=int))


@pytest.fixture(autouse=True, scope="module")
def contributions():
    dp.enable_features("contrib")


def theirs(measurement, count):
    return np.array([measurement(0) for _ in range(count)])


@pytest.mark.parametrize("scale", [Fraction(3, 2), Fraction(21)])
def test_the_discrete_laplace_is_theirs(scale):
    sample = theirs(dp.m.make_laplace(*SPACE, scale=float(scale)), 3000)
    for noise in (FastNoise(np.random.default_rng(1)), ExactNoise(seeded(1)("noise"))):
        assert stats.ks_2samp(sample, Polya(scale).draw(noise, 3000)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("deviation", [2, 40])
def test_the_discrete_gaussian_is_theirs(deviation):
    sample = theirs(dp.m.make_gaussian(*SPACE, scale=float(deviation)), 3000)
    for noise in (FastNoise(np.random.default_rng(1)), ExactNoise(seeded(1)("noise"))):
        ours = DiscreteGaussian(Fraction(deviation**2)).draw(noise, 3000)
        assert stats.ks_2samp(sample, ours).pvalue > FALSE_ALARM


@pytest.mark.parametrize("shift", [1, 32, 512])
@pytest.mark.parametrize("scale", [Fraction(21), Fraction(21 * 32)])
def test_their_privacy_map_is_our_pure_epsilon(shift, scale):
    claimed = dp.m.make_laplace(*SPACE, scale=float(scale)).map(d_in=shift)
    assert claimed == pytest.approx(float(pure_epsilon([Query(Polya(scale), shift)])), rel=1e-12)


@pytest.mark.parametrize("shift", [1, 32])
def test_their_concentrated_bound_is_the_slope_of_our_renyi_divergences(shift):
    orders = np.array([2, 10, 100])
    rho = dp.m.make_gaussian(*SPACE, scale=40.0).map(d_in=shift)
    assert DiscreteGaussian(Fraction(1600)).renyi(orders, shift) == pytest.approx(orders * rho, rel=1e-9)
