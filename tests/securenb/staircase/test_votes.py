"""What votes say of rates: projection, trimming, and the box that malicious nodes cannot leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.isotonic import IsotonicRegression

from securenb.bayes.staircase.votes import Votes, projected

MEANING = Votes((0, 1, 3, 6, 12, 20), 0.48)
NUMBERS = st.lists(st.floats(-0.5, 1.5), min_size=5, max_size=5).map(np.array)


@given(NUMBERS)
def test_the_projection_is_isotonic_regression(votes):
    found = projected(votes, MEANING.widths)
    there = (
        IsotonicRegression(increasing=False).fit(np.arange(5), votes, MEANING.widths**2).predict(np.arange(5))
    )
    np.testing.assert_allclose(found, there, atol=1e-9)


@given(NUMBERS, st.lists(st.floats(0, 0.4), min_size=5, max_size=5).map(np.array))
def test_no_rate_falls_when_votes_rise(votes, more):
    assert (projected(votes + more, MEANING.widths) >= projected(votes, MEANING.widths) - 1e-12).all()
    assert MEANING.rate(votes + more) >= MEANING.rate(votes) - 1e-12


@pytest.mark.parametrize("trim", [0.0, 0.2, 0.48])
@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5, 0.9])
def test_honest_votes_give_their_rate_back(trim, rate):
    meaning = Votes((0, 1, 3, 6, 12, 20), trim)
    counts = np.arange(21)
    chances = binom.pmf(counts, 20, rate)
    low = np.array(meaning.thresholds[:-1])
    votes = chances @ (np.clip(counts[:, None] - low, 0, meaning.widths) / meaning.widths)
    found = meaning.rate(votes)
    # near the median whole intervals of rates have the same trimmed mean: one of them is found
    assert np.interp(found, meaning.rates, meaning.curve) == pytest.approx(
        meaning.trimmed(projected(votes, meaning.widths)), abs=2e-3
    )
    if trim < 0.4:
        assert found == pytest.approx(rate, rel=0.02, abs=2e-3)


def test_untrimmed_it_reads_the_plain_sum():
    meaning = Votes((0, 1, 3, 6, 12, 20), 0.0)
    counts = np.random.default_rng(1).binomial(20, 0.3, 1000)
    low = np.array(meaning.thresholds[:-1])
    votes = (np.clip(counts[:, None] - low, 0, meaning.widths) / meaning.widths).mean(axis=0)
    assert meaning.rate(votes) == pytest.approx(counts.mean() / 20, rel=1e-2)


@given(st.integers(0, 2**32 - 1))
def test_malicious_votes_move_a_rate_no_further_than_the_box(seed):
    rng = np.random.default_rng(seed)
    meaning, nodes = Votes((0, 1, 3, 6, 12, 20), float(rng.uniform(0, 0.49))), int(rng.integers(3, 40))
    malicious = int(rng.integers(0, nodes))
    low = np.array(meaning.thresholds[:-1])
    counts = rng.binomial(20, rng.uniform(0, 1), nodes - malicious)
    honest = np.clip(counts[:, None] - low, 0, meaning.widths).sum(axis=0)
    claimed = rng.integers(0, meaning.widths.astype(int) + 1, (malicious, 5)).sum(axis=0)
    noise = rng.normal(0, rng.choice([0, 3, 30]), 5)
    total = nodes * meaning.widths
    ends = [(honest + noise + add) / total for add in (0, malicious * meaning.widths)]
    rate = meaning.rate((honest + claimed + noise) / total)
    assert meaning.rate(ends[0]) - 1e-12 <= rate <= meaning.rate(ends[1]) + 1e-12


@pytest.mark.parametrize("trim", [-0.1, 0.5, 1.0, float("nan")])
def test_a_trim_outside_is_refused(trim):
    with pytest.raises(ValueError, match="trimmed share"):
        Votes((0, 1, 2), trim)
