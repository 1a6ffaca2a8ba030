"""The arithmetic of rules against slow and obvious versions of the papers' definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from securenb.robust import columns, contenders
from securenb.robust.columns import medians, trimmed_means
from securenb.robust.distances import squared_distances
from securenb.robust.points import Points
from securenb.robust.preaggregations.bucketing import bucketing
from securenb.robust.preaggregations.clip import clipped
from securenb.robust.preaggregations.nnm import nearest_neighbour_mixing
from securenb.robust.rules.bulyan import bulyan, choose
from securenb.robust.rules.centered_clipping import centered_clipping
from securenb.robust.rules.geometric_median import geometric_median
from securenb.robust.rules.krum import krum, krum_scores
from securenb.robust.rules.mda import minimum_diameter_average
from securenb.robust.rules.meamed import Meamed, mean_around_median
from securenb.robust.rules.multi_krum import multi_krum
from securenb.robust.rules.trimmed_mean import TrimmedMean
from securenb.robust.rules.weighted_median import weighted_median

seeds = st.integers(0, 2**32 - 1)


def direct(points):
    return np.square(points[:, None] - points).sum(axis=2)


def slow_scores(squares, f):
    n = len(squares)
    return [np.sort(np.delete(squares[i], i))[: max(n - f - 2, 0)].sum() for i in range(n)]


def slow_choice(squares, f, count):
    left, chosen = list(range(len(squares))), []
    for _ in range(count):
        scores = slow_scores(squares[np.ix_(left, left)], f)
        chosen.append(left.pop(int(np.argmin(scores))))
    return sorted(chosen)


def slow_meamed(column, kept):
    middle = np.median(column)
    return np.mean(sorted(column, key=lambda value: (abs(value - middle), value))[:kept])


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_distances_equal_the_direct_ones_wherever_the_rows_are(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 7)) + 10.0 ** rng.integers(0, 9)
    points[3] = points[8]
    points[5] *= 10.0 ** rng.integers(0, 12)
    squares = squared_distances(points)
    assert np.allclose(squares, direct(points), rtol=1e-6, atol=0)
    assert squares[3, 8] == 0
    assert np.array_equal(squares, squares.T)


def test_rows_too_far_apart_for_float64_are_refused():
    with pytest.raises(ValueError, match="too far apart"):
        squared_distances(np.array([[0.0], [1.0], [1e200]]))


@given(seeds, st.integers(3, 20))
@settings(max_examples=40, deadline=None)
def test_krum_has_n_minus_f_minus_2_neighbours(seed, n):
    points = np.random.default_rng(seed).normal(size=(n, 4))
    f = (n - 3) // 2
    expected = slow_scores(direct(points), f)
    assert np.allclose(krum_scores(points, f), expected)
    assert np.array_equal(krum(points, f), points[np.argmin(expected)])
    best = np.argsort(expected)[: max(n - f - 2, 1)]
    assert np.allclose(multi_krum(points, f), points[best].mean(axis=0))


@given(seeds, st.integers(3, 24), st.booleans())
@settings(max_examples=80, deadline=None)
def test_bulyan_is_the_papers_recursion(seed, n, outliers):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 4))
    f = (n - 3) // 4
    if outliers:
        points[:f] *= 10.0 ** rng.uniform(3, 140, (f, 1))
    squares = direct(points)
    chosen = slow_choice(squares, f, n - 2 * f)
    assert list(choose(squares, f, n - 2 * f)) == chosen
    expected = [slow_meamed(column, n - 4 * f) for column in points[chosen].T]
    assert np.allclose(bulyan(points, f), expected)


@given(seeds, st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_means_around_the_middle_are_what_their_definitions_say(seed, n):
    points = np.random.default_rng(seed).integers(-5, 5, (n, 3)).astype(float)
    f = (n - 1) // 2
    ordered = np.sort(points, axis=0)
    assert np.allclose(trimmed_means(points, f), ordered[f : n - f].mean(axis=0))
    assert np.allclose(mean_around_median(points, f), [slow_meamed(column, n - f) for column in points.T])


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_undefined_values_are_left_out_coordinate_by_coordinate(seed):
    rng = np.random.default_rng(seed)
    values, defined = rng.normal(size=(11, 5)), rng.random((11, 5)) < 0.6
    defined[:5] = True
    points = Points(np.where(defined, values, 99.0), defined)
    for rule, of_column in (
        (TrimmedMean(malicious=2), trimmed_means),
        (Meamed(malicious=2), mean_around_median),
    ):
        expected = [of_column(values[defined[:, j], j : j + 1], 2)[0] for j in range(5)]
        assert np.allclose(rule.centre(points), expected)


@given(seeds, st.integers(3, 11), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_average_of_least_diameter_is_found_as_if_all_subsets_were_tried(seed, n, d):
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, (n, d)).astype(float) if seed % 2 else rng.normal(size=(n, d))
    f = (n - 1) // 2
    squares = direct(points)
    subsets = list(itertools.combinations(range(n), n - f))
    diameters = [squares[np.ix_(kept, kept)].max() for kept in subsets]
    best = [
        points[list(kept)].mean(axis=0)
        for kept, at in zip(subsets, diameters, strict=True)
        if at == min(diameters)
    ]
    found = minimum_diameter_average(points, f)
    assert min(np.abs(found - mean).max() for mean in best) < 1e-9


def test_the_search_for_the_least_diameter_is_quick_where_subsets_are_astronomically_many():
    points = np.random.default_rng(1).normal(size=(100, 30))
    points[:20] = 0.5
    assert np.isfinite(minimum_diameter_average(points, 20)).all()


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_no_small_step_from_the_geometric_median_is_an_improvement(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rng.integers(3, 15), rng.integers(2, 6))) * 10.0 ** rng.uniform(-6, 6)
    points[0] = points[1]
    found = geometric_median(points)

    def total(centre):
        return np.linalg.norm(points - centre, axis=1).sum()

    scale = np.abs(points).max()
    for _ in range(20):
        step = rng.normal(size=points.shape[1])
        assert total(found + 1e-4 * scale * step) >= total(found) * (1 - 1e-12)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_a_weight_is_as_good_as_that_many_equal_rows(seed):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(9, 3)), rng.integers(0, 5, 9)
    weights[0] += 1
    expected = np.median(np.repeat(points, weights, axis=0), axis=0)
    assert np.allclose(weighted_median(points, np.tile(weights[:, None].astype(float), 3)), expected)


def test_mixing_averages_each_row_with_its_nearest_ones():
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]])
    mixed = nearest_neighbour_mixing(points, 2)
    assert np.allclose(mixed[:, 0], [1, 1, 1, 23 / 3, 23 / 3])


def test_buckets_are_means_of_all_rows_each_once():
    points = np.arange(7.0)[:, None]
    buckets = bucketing(points, 2, np.random.default_rng(1))
    assert len(buckets) == 4
    assert sorted(2 * buckets[:3, 0]) != [1, 5, 9]  # shuffled
    assert 2 * buckets[:3].sum() + buckets[3, 0] == points.sum()


def test_clipping_moves_only_rows_outside_and_only_onto_the_ball():
    points = np.array([[0.0], [1.0], [-1.0], [2.0], [-50.0]])
    assert np.array_equal(clipped(points), [[0], [1], [-1], [1], [-1]])
    assert np.array_equal(points[-1], [-50])


# What peers' rules get wrong, by behaviour.


def test_a_geometric_median_of_small_numbers_is_not_their_mean():
    points = np.array([[0.30, 0.70], [0.31, 0.69], [0.29, 0.71], [0.30, 0.70], [0.90, 0.10]])
    found = geometric_median(points)
    assert np.allclose(found, [0.30, 0.70], atol=0.01)
    assert abs(found[0] - points.mean(axis=0)[0]) > 0.1


@pytest.mark.parametrize("seed", range(40))
def test_a_geometric_median_is_found_however_far_and_however_close_the_rows_lie(seed):
    rng = np.random.default_rng(seed)
    far, spread = 10.0 ** rng.uniform(-3, 12), 10.0 ** (rng.uniform(-320, 3) if seed % 2 else -12)
    width = rng.integers(1, 40)
    points = far * rng.normal(size=width) + spread * rng.normal(size=(rng.integers(3, 30), width))
    found, room = geometric_median(points), np.spacing(np.abs(points).max(axis=0))
    assert (found >= points.min(axis=0) - room).all()
    assert (found <= points.max(axis=0) + room).all()


def test_a_geometric_median_far_from_the_origin_is_reached():
    points = np.array([[1000.0 + k, 0.0] for k in range(7)] + [[0.0, 0.0]] * 4)
    assert geometric_median(points)[0] > 999


def test_equal_sizes_do_not_make_the_geometric_median_the_first_row():
    points = np.array([[777.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert geometric_median(points)[0] < 2


def test_adding_a_constant_to_every_row_does_not_change_the_winner():
    rng = np.random.default_rng(5)
    for _ in range(20):
        points = rng.normal(size=(15, 8))
        assert np.allclose(krum(points + 1e4, 4) - 1e4, krum(points, 4), atol=1e-9)
        assert np.allclose(bulyan(points + 1e4, 3) - 1e4, bulyan(points, 3), atol=1e-9)


def test_counts_above_two_to_the_24_keep_their_last_digit():
    points = np.full((5, 1), 16_777_217.0)
    for rule in (krum, multi_krum, trimmed_means, mean_around_median, minimum_diameter_average):
        assert rule(points, 1)[0] == 16_777_217
    assert geometric_median(points)[0] == centered_clipping(points)[0] == 16_777_217


@pytest.mark.parametrize(
    ("rule", "n", "f"),
    [
        (krum, 3, 10),
        (krum, 4, 2),
        (multi_krum, 5, 2),
        (bulyan, 6, 1),
        (trimmed_means, 4, 2),
        (minimum_diameter_average, 4, 2),
        (mean_around_median, 4, 2),
        (nearest_neighbour_mixing, 4, 2),
    ],
)
def test_a_bound_that_does_not_hold_is_refused(rule, n, f):
    with pytest.raises(ValueError, match=f"at most .* malicious of {n} rows, not {f}"):
        rule(np.random.default_rng(1).normal(size=(n, 2)), f)


def test_a_rule_called_twice_remembers_nothing():
    rng = np.random.default_rng(6)
    points, other = rng.normal(size=(9, 3)), 1e6 * rng.normal(size=(9, 3))
    first = centered_clipping(points)
    centered_clipping(other)
    assert np.array_equal(centered_clipping(points), first)


def test_a_misspelt_parameter_is_refused():
    with pytest.raises(TypeError):
        TrimmedMean(malicous=2)


@given(seeds, st.integers(1, 40), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_medians_are_those_of_a_sort_and_trimmed_means_to_a_rounding(seed, n, d):
    rng = np.random.default_rng(seed)
    points = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 9, d)).round(int(rng.integers(0, 9)))
    f = int(rng.integers(0, (n - 1) // 2 + 1))
    ordered, before = np.sort(points, axis=0), points.copy()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(columns, "_BLOCK", int(rng.integers(1, 200)))
        assert np.array_equal(medians(points), (ordered[(n - 1) // 2] + ordered[n // 2]) / 2)
        assert np.allclose(
            trimmed_means(points, f),
            ordered[f : n - f].mean(axis=0),
            rtol=1e-12,
            atol=1e-14 * np.abs(points).max(initial=0),  # of a sum of both signs
        )
    assert np.array_equal(points, before)


def screened(kind, rng, n=60, d=400):
    """Points that a screening in single precision could get wrong."""
    points = rng.normal(size=(n, d))
    if kind == "copies":
        points[n // 2 :] = points[0]
    if kind == "near":
        points = points[:1] + 1e-9 * points
    if kind == "huge":
        points[: n // 4] *= 1e30
    if kind == "tiny":
        points *= 1e-30
    if kind == "far":
        points += 1e9
    if kind == "outliers":
        points[: n // 4] *= 1e4
    if kind == "mirrored":
        points[n // 2 :] = -points[: n // 2]
    return points


KINDS = ["plain", "copies", "near", "huge", "tiny", "far", "outliers", "mirrored"]


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_chooses_the_row_that_double_precision_chooses(kind, monkeypatch):
    monkeypatch.setattr(contenders, "_WORTH", 0)
    monkeypatch.setattr(contenders, "_CHUNK", 150)
    certain = 0
    for seed in range(30):
        points = screened(kind, np.random.default_rng(seed))
        f = seed % 28
        slow = points[int(np.argmin(krum_scores(points, f)))]
        assert np.array_equal(krum(points, f), slow)
        found = contenders.single_winner(points, len(points) - f - 2)
        certain += found is not None
    assert certain == 30 or kind not in {"plain", "far"}
