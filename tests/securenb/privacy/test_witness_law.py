"""The law of noise in witness cells is exact: against closed forms, brute force, and another derivation."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from securenb.privacy.distributions import DiscreteGaussian, Polya, Skellam
from securenb.privacy.samplers import FastNoise
from securenb.privacy.witness_law import (
    carried,
    magnitudes,
    ratio,
    ratio_law,
    scored,
    summed,
    width_law,
    witnessed_law,
)

LAPLACE, WIDE = Polya(Fraction(21)), Skellam(Fraction(400))


def folded(masses):
    """P(|X| = k) from P(X = k), k = 0, 1, …, of a symmetric X."""
    return np.concatenate([masses[:1], 2 * masses[1:]])


@pytest.mark.parametrize("scale", [Fraction(3, 10), Fraction(21), Fraction(1000)])
def test_one_dose_of_polya_noise_is_discrete_laplace(scale):
    found = magnitudes(Polya(scale))
    alpha = np.exp(-1 / float(scale))
    expected = folded((1 - alpha) / (1 + alpha) * alpha ** np.arange(len(found)))
    assert np.abs(found - expected).max() < 1e-14


@pytest.mark.parametrize("doses", [Fraction(3, 4), Fraction(5, 4)])
def test_any_number_of_doses_is_a_difference_of_negative_binomials(doses):
    scale, count = 2.0, 400
    one = stats.nbinom.pmf(np.arange(count), float(doses), -np.expm1(-1 / scale))
    both = np.correlate(one, one, "full")[count - 1 :]
    found = magnitudes(Polya(Fraction(2), doses))[:60]
    assert np.abs(found - folded(both)[:60]).max() < 1e-13


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(400), Fraction(50_000)])
def test_skellam_noise_is_scipys(variance):
    found = magnitudes(Skellam(variance))
    expected = folded(stats.skellam.pmf(np.arange(len(found)), float(variance) / 2, float(variance) / 2))
    assert np.abs(found - expected).max() < 1e-12


@pytest.mark.parametrize("cells", [1, 2, 7])
def test_a_sum_over_few_cells_is_a_convolution(cells):
    scores, masses = np.array([3, 0, -2, -2, 1]), np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    one = np.zeros(6)
    np.add.at(one, scores + 2, masses)
    brute = np.array([1.0])
    for _ in range(cells):
        brute = np.convolve(brute, one)
    law = summed(scores, masses, cells)
    for value in range(-2 * cells - 1, 3 * cells + 2):
        assert law.at_least(value) == pytest.approx(brute[max(0, value + 2 * cells) :].sum(), abs=1e-12)
        assert law.at_most(value) == pytest.approx(brute[: max(0, value + 2 * cells + 1)].sum(), abs=1e-12)


def by_counting_zeros(total, scale, cells):
    """P(Σ|x| ≤ total) of discrete Laplace cells: a binomial number are not zero, each geometric."""
    alpha = np.exp(-1 / scale)
    some = np.arange(1, cells + 1)
    weights = stats.binom.pmf(some, cells, 2 * alpha / (1 + alpha))
    none = stats.binom.pmf(0, cells, 2 * alpha / (1 + alpha))
    return none + (weights * stats.nbinom.cdf(total - some, some, 1 - alpha)).sum()


@pytest.mark.parametrize("total", [7000, 7500, 8200, 9000])
def test_the_law_of_the_whole_width_agrees_with_another_derivation(total):
    law = width_law(LAPLACE, LAPLACE, 400)
    assert law.at_most(total) == pytest.approx(by_counting_zeros(total, 21.0, 400), abs=1e-11)


def test_a_sum_of_very_many_cells_is_tabulated_around_its_middle():
    law = width_law(LAPLACE, LAPLACE, 100_000)
    assert law.masses.sum() == pytest.approx(1, abs=1e-9)
    assert law.at_most(2_100_000) == pytest.approx(by_counting_zeros(2_100_000, 21.0, 100_000), abs=1e-8)


@pytest.mark.parametrize("dose", [LAPLACE, WIDE])
@pytest.mark.parametrize("doses", [Fraction(1), Fraction(10, 7)])
def test_a_test_has_its_level_exactly_and_no_more_beyond(dose, doses):
    law = ratio_law(dose, doses, carried(dose, doses), 400)
    critical = law.critical(1e-3)
    assert law.at_least(critical) <= 1e-3 < law.at_least(critical - 1)
    for more in (Fraction(11, 10), Fraction(2)):
        assert ratio_law(dose, doses, carried(dose, doses * more), 400).at_least(critical) < 1e-3
        assert ratio_law(dose, doses, carried(dose, doses, more), 400).at_least(critical) < 1e-3


def test_scores_never_rise_with_the_noise():
    for dose in (LAPLACE, WIDE, Polya(Fraction(3, 10)), Skellam(Fraction(1, 2))):
        assert (np.diff(ratio(dose, Fraction(5, 4))) <= 0).all()


def test_draws_of_the_product_follow_the_law():
    noise = FastNoise(np.random.default_rng(4))
    law = ratio_law(LAPLACE, Fraction(1), carried(LAPLACE, Fraction(3, 4)), 100)
    drawn = noise.polya(Fraction(21), Fraction(3, 4), 100 * 4_000).reshape(4_000, 100)
    sums = np.array([scored(ratio(LAPLACE, Fraction(1)), row) for row in drawn])
    for value in np.quantile(sums, [0.1, 0.5, 0.9]).astype(int):
        # four standard deviations of a frequency in 4 000
        assert (sums >= value).mean() == pytest.approx(law.at_least(value), abs=4 * 0.5 / 63)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (None, "there is none"),
        (DiscreteGaussian(Fraction(4)), "skellam"),
        (Polya(Fraction(10**6)), "too wide"),
    ],
)
def test_noise_that_cells_cannot_witness_is_refused(law, said):
    with pytest.raises(ValueError, match=said):
        witnessed_law(law)
