"""Refined rows are closer to the truth, add up where they should, and rows without noise stay as they are."""

from fractions import Fraction

import numpy as np
import pytest

from securenb.data.dataset import load_dataset
from securenb.federation.postprocess import (
    Refinement,
    consistent,
    noise_of_counts,
    shrunk,
    tied_blocks,
    variances,
)
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.k_norm import KNorm
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import RULES, Rows
from securenb.robust.rules.median import Median
from securenb.robust.rules.sum import Sum
from securenb.robust.rules.verified_sum import VerifiedSum
from securenb.schema.features import Categorical
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

DATA = load_dataset("phishing")
SCHEMA = DATA.schema
EXACT = Statistics.of(SCHEMA, DATA.train).table
MECHANISM = DiscreteLaplace(Fraction(1, 2))
NOISE = variances(MECHANISM, SCHEMA, 1, 1)
NOISY = EXACT + np.array(
    [
        MECHANISM.share(SCHEMA, 1, FastNoise(np.random.default_rng(seed))).reshape(EXACT.shape)
        for seed in range(200)
    ]
)


def error(tables, columns=slice(None)):
    return float(np.mean((tables - EXACT)[..., columns] ** 2))


@pytest.mark.parametrize("name", [name for name in MECHANISMS if MECHANISMS[name] is not NoNoise])
@pytest.mark.parametrize("shares", [1, 7])
def test_the_variance_is_what_the_noise_has(name, shares):
    mechanism = MECHANISMS[name].from_epsilon(1, 1e-6 if MECHANISMS[name].needs_delta else None)
    rng, among = FastNoise(np.random.default_rng(3)), 4 if mechanism.divides else 1
    draws = np.array([mechanism.share(SCHEMA, among, rng, shares) for _ in range(400)]) / mechanism.grid
    measured = draws.reshape(400, *EXACT.shape).var(axis=(0, 1))
    # kurtosis of a quarter of a Laplace dose: 3 + 3 · 4; 400 draws in each of two classes
    tolerance = 6 * (14 / 800) ** 0.5
    assert np.allclose(measured, variances(mechanism, SCHEMA, among, shares), rtol=tolerance)


def test_consistent_counts_add_up_and_are_closer_to_the_truth():
    refined = consistent(SCHEMA, NOISY, NOISE)
    for block in SCHEMA.blocks:
        if block.kind == "levels":
            assert np.allclose(refined[..., block.columns].sum(axis=-1), refined[..., 0])
    # nine features with about three levels each add what about three more counts would
    assert error(refined, 0) < error(NOISY, 0) / 2
    assert error(refined) < error(NOISY)


def test_the_noise_of_consistent_counts_is_what_it_is_said_to_be():
    measured = consistent(SCHEMA, NOISY, NOISE)[..., 0] - EXACT[..., 0]
    # 400 draws that are nearly Gaussian: 6 standard errors of a variance
    assert np.isclose((measured**2).mean(), noise_of_counts(SCHEMA, NOISE), rtol=6 * (2 / 400) ** 0.5)


@pytest.mark.parametrize("times", [1, 8, 1000])
def test_shrunk_counts_are_closer_to_the_truth_and_no_level_is_certainly_absent(times):
    noisy, noise = EXACT + times * (NOISY - EXACT), times**2 * NOISE
    refined = shrunk(SCHEMA, noisy, noise, noise_of_counts(SCHEMA, noise))
    assert refined[..., 1:].min() > 0
    assert refined[..., 0].min() >= 0
    assert error(refined) < error(noisy)
    kept = noisy[..., 1:] > 0.01 * np.sqrt(noise[1:])
    assert np.array_equal(refined[..., 1:][kept], noisy[..., 1:][kept])


def test_rules_that_compare_rows_or_certify_sums_get_them_as_they_are():
    rows, noise = Rows(SCHEMA, NOISY[:2], np.array([5, 5])), np.stack([NOISE, NOISE])
    for rule in (Median(), VerifiedSum()):
        assert not Refinement().shrinks(rule)
        assert Refinement().additive(rule, noise)
        as_asked = [
            Refinement(shrinkage=asked).refine(rows, noise, rule).tables for asked in (None, False, True)
        ]
        assert np.array_equal(as_asked[0], as_asked[1])
        assert not np.array_equal(as_asked[0], as_asked[2])
    assert not Refinement().additive(Sum(), noise)
    assert Refinement().additive(Sum(), 0 * noise)


def test_votes_cannot_be_shrunk():
    rule = RULES["staircase"](quota=5)
    Refinement().check(rule)
    with pytest.raises(ValueError, match="'staircase' reads votes.*leave shrinkage out"):
        Refinement(shrinkage=True).check(rule)


def test_without_noise_nothing_changes():
    rows = Rows(SCHEMA, EXACT[None], np.array([5]))
    silent = variances(NoNoise(), SCHEMA, 1, 5)
    assert np.array_equal(consistent(SCHEMA, EXACT, silent), EXACT)
    assert np.array_equal(shrunk(SCHEMA, EXACT, silent, silent[0]), EXACT)
    assert Refinement().refine(rows, silent[None], Sum()) is rows


def test_what_is_switched_off_changes_nothing():
    rows = Rows(SCHEMA, NOISY[:2], np.array([5, 5]))
    for off, rule in (
        (Refinement(False, False), Sum()),
        (Refinement(False), VerifiedSum()),
        (Refinement(False), Median()),
    ):
        assert off.refine(rows, np.stack([NOISE, NOISE]), rule) is rows


@pytest.mark.parametrize("rule", [Sum(), Median()], ids=["pooled", "apart"])
def test_rows_in_another_order_are_refined_alike(rule):
    rows, sizes = NOISY[:5], np.arange(5)
    noise = np.outer(np.array([0.1, 0.7, 1e-3, 3.3, 2.0]), NOISE)
    order = [3, 1, 4, 0, 2]
    both = Refinement(consistency=True, shrinkage=True)
    first = both.refine(Rows(SCHEMA, rows, sizes), noise, rule)
    again = both.refine(Rows(SCHEMA, rows[order], sizes[order]), noise[order], rule)
    assert np.array_equal(first.tables if rule.pools else first.tables[order], again.tables)
    assert len(first.sizes) == (1 if rule.pools else 5)


def test_levels_that_are_drawn_with_the_count_are_no_second_opinion_on_it():
    mechanism = KNorm(Fraction(1))
    schema = Schema(("a", "b"), (*(Categorical(name, ("f", "m")) for name in "xyz"), SCHEMA.features[0]))
    rng = FastNoise(np.random.default_rng(5))
    draws = np.array([mechanism.share(schema, 1, rng) for _ in range(600)]).reshape(600, 2, -1) * 1.0
    noise, tied = variances(mechanism, schema, 1, 1), tied_blocks(mechanism, schema)
    assert [block.width for block in tied] == [2, 2, 2]
    refined = consistent(schema, draws, noise, tied)
    for block in schema.blocks:
        if block.partition:
            assert np.allclose(refined[..., block.columns].sum(axis=-1), refined[..., 0])
    # kurtosis of a uniform variable of random size: below 6; 600 draws in each of two classes
    stated = noise_of_counts(schema, noise, tied)
    assert np.isclose((refined[..., 0] ** 2).mean(), stated, rtol=6 * (5 / 1200) ** 0.5)
    assert stated > 2 * noise_of_counts(schema, noise)
    assert (consistent(schema, draws, noise)[..., 0] ** 2).mean() > stated
