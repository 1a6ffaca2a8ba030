"""Both samplers draw the distribution that the mechanism claims.

Each chi-square test below fails by chance with probability 1e-6, and its seed is fixed.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from protocols.entropy import seeded
from securenb.exact_sampling import Bits, logarithmic
from securenb.noise import ExactNoise, FastNoise

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
    total = sum(noise.laplace_share(scale, among, 20_000) for _ in range(among))
    assert fits(total, lambda k: discrete_laplace_pmf(k, scale), 12) > FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(21), Fraction(21_504)])
def test_the_fast_and_the_exact_share_have_the_same_distribution(scale):
    fast, exact = (noise.laplace_share(scale, 3, 20_000) for noise in noises(5))
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


def test_a_huge_scale_costs_no_more_and_has_the_right_spread():
    scale = Fraction(10**9)
    sample = ExactNoise(seeded(2)("noise")).laplace_share(scale, 1, 4000).astype(float)
    # the mean of |k| is the scale, its standard error scale / sqrt(n); six of them
    assert abs(np.abs(sample).mean() / 1e9 - 1) < 6 / np.sqrt(4000)


def test_bits_below_a_bound_are_uniform_and_in_range():
    bits = Bits(seeded(3)("bits"), block=32)
    sample = np.array([bits.below(7) for _ in range(14_000)])
    assert stats.chisquare(np.bincount(sample, minlength=7)).pvalue > FALSE_ALARM
