"""Both samplers draw the distribution that the mechanism claims.

Each chi-square test below fails by chance with probability 1e-6, and its seed is fixed.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from protocols.entropy import seeded
from securenb.privacy.exact_sampler import Bits, _log_excess, _poisson_proposal, logarithmic, poisson
from securenb.privacy.samplers import ExactNoise, FastNoise

FALSE_ALARM = 1e-6


def discrete_laplace_pmf(k, scale):
    alpha = np.exp(-1 / float(scale))
    return (1 - alpha) / (1 + alpha) * alpha ** np.abs(k)


def fits(sample, pmf, reach):
    """Chi-square p-value of integers against a symmetric pmf, tails pooled."""
    k = np.arange(-reach, reach + 1)
    expected = pmf(k)
    tail = (1 - expected.sum()) / 2
    expected = np.concatenate([[tail], expected, [tail]]) * len(sample)
    clipped = np.clip(sample, -reach - 1, reach + 1) + reach + 1
    observed = np.bincount(clipped, minlength=2 * reach + 3)
    assert expected.min() > 5
    return stats.chisquare(observed, expected, sum_check=False).pvalue


def noises(seed):
    return [FastNoise(np.random.default_rng(seed)), ExactNoise(seeded(seed)("noise"))]


@pytest.mark.parametrize("which", [0, 1], ids=["fast", "exact"])
@pytest.mark.parametrize("among", [1, 2, 7])
def test_any_complete_set_of_shares_is_discrete_laplace_noise(which, among):
    noise, scale = noises(among)[which], Fraction(5, 2)
    total = sum(noise.polya(scale, Fraction(1, among), 20_000) for _ in range(among))
    assert fits(total, lambda k: discrete_laplace_pmf(k, scale), 12) > FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(21), Fraction(21_504)])
def test_the_fast_and_the_exact_share_have_the_same_distribution(scale):
    fast, exact = (noise.polya(scale, Fraction(1, 3), 20_000) for noise in noises(5))
    # ties make the Kolmogorov-Smirnov test conservative, never too eager
    assert stats.ks_2samp(fast, exact).pvalue > FALSE_ALARM


def test_a_logarithmic_variable_has_its_probabilities():
    bits, scale = Bits(seeded(1)("bits")), Fraction(3)
    sample = np.array([logarithmic(bits, scale) for _ in range(20_000)])
    k = np.arange(1, 16)
    alpha = np.exp(-1 / 3)
    expected = -(alpha**k) / k / np.log(1 - alpha)
    expected = np.append(expected, 1 - expected.sum()) * len(sample)
    observed = np.bincount(np.minimum(sample, 16), minlength=17)[1:]
    assert stats.chisquare(observed, expected, sum_check=False).pvalue > FALSE_ALARM


@pytest.mark.parametrize("mean", [Fraction(1, 7), Fraction(200), Fraction(2570, 9), Fraction(10**4)])
def test_a_poisson_variable_has_its_probabilities_from_the_table_and_by_rejection(mean):
    bits = Bits(seeded(4)("bits"))
    sample = np.array([poisson(bits, mean) for _ in range(6_000)])
    law = stats.poisson(float(mean))
    cuts = np.unique(law.ppf(np.linspace(0, 1, 26)[1:-1]))
    expected = np.diff(law.cdf(cuts), prepend=0, append=1) * len(sample)
    observed = np.bincount(np.searchsorted(cuts, sample), minlength=len(cuts) + 1)
    kept = expected > 5
    assert stats.chisquare(observed[kept], expected[kept], sum_check=False).pvalue > FALSE_ALARM


@pytest.mark.parametrize("mean", [Fraction(300), Fraction(10**6 + 1, 3)])
def test_no_poisson_proposal_is_accepted_with_a_probability_above_one(mean):
    mode, width, log_mean, log_unit = _poisson_proposal(mean)
    near = range(max(-mode, -4 * width), 4 * width, max(1, width // 40))
    excess = max(_log_excess(mode, width, log_mean, away) for away in near)
    assert log_unit - 0.01 < excess <= log_unit


@pytest.mark.parametrize("which", [0, 1], ids=["fast", "exact"])
@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(7, 3), Fraction(90)])
def test_a_discrete_gaussian_has_its_probabilities(which, variance):
    sample = noises(6)[which].gaussian(variance, 20_000)
    k = np.arange(-80, 81)
    weights = np.exp(-(k**2) / (2 * float(variance)))
    reach = int(2 * float(variance) ** 0.5)
    assert fits(sample, lambda at: weights[at + 80] / weights.sum(), reach) > FALSE_ALARM


@pytest.mark.parametrize("which", [0, 1], ids=["fast", "exact"])
@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(90), Fraction(2000)])
def test_a_skellam_variable_has_its_probabilities(which, variance):
    sample = noises(8)[which].skellam(variance, 6_000)
    law = stats.skellam(float(variance) / 2, float(variance) / 2)
    assert fits(sample, law.pmf, int(2 * float(variance) ** 0.5)) > FALSE_ALARM


def test_huge_variances_cost_no_more_and_have_the_right_spread():
    for draw in (noises(9)[1].skellam, noises(9)[1].gaussian):
        sample = draw(Fraction(10**14), 2000).astype(float)
        # relative standard error of a normal variable's variance: sqrt(2 / n); six of them
        assert abs(sample.var() / 1e14 - 1) < 6 * (2 / 2000) ** 0.5


def test_a_huge_scale_costs_no_more_and_has_the_right_spread():
    scale = Fraction(10**9)
    sample = ExactNoise(seeded(2)("noise")).polya(scale, Fraction(1), 4000).astype(float)
    # the mean of |k| is the scale, its standard error scale / sqrt(n); six of them
    assert abs(np.abs(sample).mean() / 1e9 - 1) < 6 / np.sqrt(4000)


def test_bits_below_a_bound_are_uniform_and_in_range():
    bits = Bits(seeded(3)("bits"), block=32)
    sample = np.array([bits.below(7) for _ in range(14_000)])
    assert stats.chisquare(np.bincount(sample, minlength=7)).pvalue > FALSE_ALARM
