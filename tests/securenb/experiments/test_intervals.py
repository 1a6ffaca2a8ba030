"""Intervals hold what they say they hold, and say where they claim nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from securenb.experiments.intervals import (
    FEWEST,
    RANGE,
    T_INTERVAL,
    collapse_share,
    collapses,
    mean_interval,
    median_interval,
    record_intervals,
    summarised,
)

REPETITIONS = 2000


def drawn(kind, rng, trials):
    """Samples of `trials`, and the true mean and median."""
    if kind == "gaussian":
        return rng.normal(0.8, 0.05, trials), 0.8, 0.8
    if kind == "exponential":
        return rng.exponential(1.0, trials), 1.0, np.log(2)
    share = float(kind)
    high = rng.random(trials) < share
    return np.where(high, 0.95, 0.08) + rng.normal(0, 0.01, trials), share * 0.95 + (1 - share) * 0.08, None


def coverage(kind, trials):
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(REPETITIONS):
        values, mean, _ = drawn(kind, rng, trials)
        found = mean_interval(values)
        assert found.kind == T_INTERVAL
        held += found.low <= mean <= found.high
    return held / REPETITIONS


@pytest.mark.parametrize("trials", [14, 30])
@pytest.mark.parametrize("kind", ["gaussian", "exponential", "0.5", "0.8"])
def test_the_interval_of_the_mean_covers_90_to_97_in_100(kind, trials):
    assert 0.895 <= coverage(kind, trials) <= 0.97


def test_where_one_trial_in_ten_collapses_it_covers_less_as_the_docs_say():
    assert coverage("0.9", 30) >= 0.88
    assert 0.7 <= coverage("0.9", 14) <= 0.82


@pytest.mark.parametrize("trials", [1, 3, FEWEST - 1])
def test_with_few_trials_no_interval_is_claimed(trials):
    values = np.linspace(0.1, 0.5, trials)
    found = mean_interval(values)
    assert (found.kind, found.low, found.high) == (RANGE, values.min(), values.max())


@pytest.mark.parametrize("trials", [6, 14, 31])
@pytest.mark.parametrize("kind", ["gaussian", "exponential"])
def test_the_interval_of_the_median_covers_what_it_says(kind, trials):
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(REPETITIONS):
        values, _, median = drawn(kind, rng, trials)
        found = median_interval(values)
        held += found.low <= median <= found.high
    exact = 1 - 2 * stats.binom.cdf(int(stats.binom.ppf(0.025, trials, 0.5)) - 1, trials, 0.5)
    assert exact >= 0.95
    assert held / REPETITIONS >= exact - 0.015


def test_five_trials_hold_no_interval_of_the_median():
    assert median_interval(np.arange(5.0)).kind == RANGE


def test_collapses_are_counted_and_their_share_has_an_exact_interval():
    values = np.array([0.9] * 27 + [0.4, 0.1, 0.69, np.nan])
    assert collapses(values) == 3
    low, high = collapse_share(3, 30)
    assert stats.binom.sf(2, 30, low) == pytest.approx(0.025)
    assert stats.binom.cdf(3, 30, high) == pytest.approx(0.025)


def test_missing_values_are_left_out_and_counted():
    found = mean_interval(np.array([np.nan, 1.0, 1.0]))
    assert found.middle == found.low == found.high == 1
    assert np.isnan(mean_interval(np.array([np.nan])).middle)
    assert np.isnan(median_interval(np.array([np.nan])).middle)
    assert collapses(np.array([np.nan])) == 0


def test_summaries_keep_apart_what_they_are_told_to():
    table = pd.DataFrame({"a": [1, 1, 2, 2], "b": [None, None, None, "x"], "v": [1.0, 3.0, 5.0, 7.0]})
    summary = summarised(table, ["a", "b"], "v")
    assert list(summary["mean"]) == [2, 5, 7]
    assert list(summary["trials"]) == [2, 1, 1]
    assert set(summary["interval"]) == {RANGE}


@pytest.mark.parametrize("rates", [(0.9, 0.6), (0.95, 0.8, 0.7)])
def test_an_interval_over_records_holds_what_another_test_set_is_about(rates):
    """Coverage over 400 test sets of 60 to 300 records a class, of the true rates."""
    rng, counts = np.random.default_rng(11), np.array([300, 120, 60][: len(rates)])
    labels = np.repeat(np.arange(len(rates)), counts)
    truth = {"accuracy": np.average(rates, weights=counts), "balanced_accuracy": np.mean(rates)}
    held = dict.fromkeys(truth, 0)
    for _ in range(400):
        found = record_intervals(labels, rng.random(len(labels)) < np.array(rates)[labels], rng, draws=500)
        for name, (low, high) in found.items():
            held[name] += low <= truth[name] <= high
    assert all(0.91 <= count / 400 <= 0.98 for count in held.values()), held


def test_records_that_are_all_right_have_an_interval_of_no_width_and_an_absent_class_counts_for_nothing():
    labels, rng = np.array([0, 0, 2], dtype=np.int32), np.random.default_rng(1)
    assert record_intervals(labels, labels >= 0, rng)["balanced_accuracy"] == (1, 1)
    assert record_intervals(labels, labels == 0, rng)["balanced_accuracy"] == (0.5, 0.5)
