"""Filters and clipping against slow and obvious versions of the papers' definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from securenb.checks.rule import records_of, rows_of
from securenb.robust.preaggregations.arc import adaptively_clipped
from securenb.robust.rule import Rows
from securenb.robust.rules.caf import covariance_agnostic_filter
from securenb.robust.rules.dnc import DnC, divide_and_conquer
from securenb.robust.rules.filter_l2 import FilterL2, filter_l2
from securenb.robust.rules.monna import MoNNA, nearest_to
from securenb.robust.spread import widest

seeds = st.integers(0, 2**32 - 1)


def attacked(rng, n=20, d=5, f=4):
    """Points around the origin, the first f in one place away from it."""
    points = rng.normal(size=(n, d))
    points[:f] = 4 * rng.normal(size=d)
    return points


def by_covariance(points, weights):
    mean = np.average(points, axis=0, weights=weights)
    values, vectors = np.linalg.eigh(np.cov(points.T, aweights=weights, ddof=0).reshape(points.shape[1], -1))
    return mean, values[-1], ((points - mean) @ vectors[:, -1]) ** 2


@given(seeds, st.integers(2, 12), st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_the_widest_direction_is_that_of_the_weighted_covariance(seed, n, d):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(n, d)) + 100, rng.random(n) + 0.1
    mean, variance, along = widest(points, weights)
    for found, expected in zip((mean, variance, along**2), by_covariance(points, weights), strict=True):
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-9)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_the_agnostic_filter_is_the_papers_algorithm_among_rows_that_have_weight(seed):
    points, f = attacked(np.random.default_rng(seed)), 4
    c, means = np.ones(len(points)), []
    while c.sum() > len(points) - 2 * f:
        mean, value, squares = by_covariance(points, c)
        means.append((value, mean))
        c = c * (1 - squares / squares[c > 0].max()).clip(0)
    assert np.allclose(covariance_agnostic_filter(points, f), min(means, key=lambda each: each[0])[1])


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_divide_and_conquer_leaves_out_the_farthest_along_the_widest_direction(seed):
    points, f = attacked(np.random.default_rng(seed)), 4
    squares = by_covariance(points, np.ones(20))[2]
    found = divide_and_conquer(points, f, np.random.default_rng(0))
    assert np.allclose(found, points[np.argsort(squares)[:16]].mean(axis=0))


@pytest.mark.parametrize("centre", [covariance_agnostic_filter, filter_l2])
def test_filters_find_what_moves_the_mean_and_leave_the_honest_alone(centre):
    far = 0.0
    for seed in range(20):
        points = attacked(np.random.default_rng(seed), 60, f=12)
        far = max(far, float(np.linalg.norm(centre(points, 12) - points[12:].mean(axis=0))))
        assert np.allclose(centre(points, 0), points.mean(axis=0))
    assert far < 1.0


@given(seeds, st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_adaptive_clipping_clips_so_many_to_the_length_of_the_next(seed, f):
    points = np.random.default_rng(seed).normal(size=(20, 3))
    centre, count = np.median(points, axis=0), 2 * f * (20 - f) // 20
    before, after = (
        np.linalg.norm(each - centre, axis=1) for each in (points, adaptively_clipped(points, f))
    )
    order = np.argsort(before)
    assert np.array_equal(adaptively_clipped(points, f)[order[: 20 - count]], points[order[: 20 - count]])
    assert np.allclose(after[order[20 - count :]], before[order[20 - count - 1]])


def test_the_mean_of_the_nearest_is_around_the_trusted_point():
    points = np.array([[0.0], [1.0], [2.0], [50.0], [51.0]])
    assert nearest_to(np.array([0.5]), points, 2) == 1.0
    assert nearest_to(np.array([60.0]), points, 2) == pytest.approx(103 / 3)


@pytest.mark.parametrize(
    ("centre", "most"),
    [
        (covariance_agnostic_filter, 9),
        (filter_l2, 4),
        (adaptively_clipped, 9),
        (lambda points, f: divide_and_conquer(points, f, np.random.default_rng(0)), 6),
        (lambda points, f: divide_and_conquer(points, f, np.random.default_rng(0), 2), 4),
        (lambda points, f: nearest_to(points[0], points, f), 9),
    ],
)
def test_more_malicious_rows_than_the_bound_are_refused(centre, most):
    points = np.random.default_rng(0).normal(size=(20, 3))
    centre(points, most)
    with pytest.raises(ValueError, match=f"at most {most} malicious of 20 rows, not {most + 1}"):
        centre(points, most + 1)


def test_parameters_out_of_range_are_refused():
    with pytest.raises(ValueError, match="got 0 and 5"):
        DnC(iterations=0, size=5)
    with pytest.raises(ValueError, match=r"got 0\.5"):
        FilterL2(wide=0.5)
    for kind in (DnC, FilterL2):
        with pytest.raises(ValueError, match="priors are counted or equal"):
            kind(priors="odd")


def test_without_public_records_of_every_class_there_is_no_trusted_row():
    rows = rows_of()
    with pytest.raises(ValueError, match="'monna' needs a reference"):
        MoNNA().combine(rows)
    records = records_of(3)
    with pytest.raises(ValueError, match="no record of some class"):
        MoNNA(reference=records[:60]).combine(rows)
    few = rows.tables.copy()
    few[3:, 1] = 0
    with pytest.raises(ValueError, match="at most 1 malicious of 3 rows, not 2"):
        MoNNA(malicious=2, reference=records).combine(Rows(rows.schema, few, rows.sizes))


@pytest.mark.parametrize("distance", [1e3, 1e9, 1e15])
def test_the_agnostic_filter_ends_within_a_pass_for_each_row_however_far_malicious_ones_are(
    monkeypatch, distance
):
    passes = []

    def counted(points, weights):
        passes.append(float(weights.sum()))
        return widest(points, weights)

    monkeypatch.setattr("securenb.robust.rules.caf.widest", counted)
    rng = np.random.default_rng(1)
    points = rng.normal(size=(20, 3))
    points[:6, 1] += distance
    found = covariance_agnostic_filter(points, 6)
    assert len(passes) <= 20
    assert passes == sorted(passes, reverse=True)
    assert np.abs(found - points[6:].mean(axis=0)).max() < 1
