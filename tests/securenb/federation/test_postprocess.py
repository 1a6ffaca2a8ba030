"""Refined rows are closer to the truth, add up where they should, and rows without noise stay as they are."""

from fractions import Fraction

import numpy as np
import pytest

from securenb.data.dataset import load_dataset
from securenb.federation.postprocess import Refinement, consistent, shrunk, variances
from securenb.privacy.mechanism import MECHANISMS
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.mechanisms.none import NoNoise
from securenb.privacy.samplers import FastNoise
from securenb.robust.rule import Rows
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


def test_shrunk_counts_are_closer_to_the_truth_and_never_negative():
    refined = shrunk(SCHEMA, NOISY, NOISE)
    assert refined[..., 1:].min() >= 0
    assert error(refined) < error(NOISY)
    drowned = shrunk(SCHEMA, EXACT + 8 * (NOISY - EXACT), 64 * NOISE)
    assert error(drowned) < 0.7 * error(EXACT + 8 * (NOISY - EXACT))


def test_without_noise_nothing_changes():
    rows = Rows(SCHEMA, EXACT[None], np.array([5]))
    silent = variances(NoNoise(), SCHEMA, 1, 5)
    assert np.array_equal(consistent(SCHEMA, EXACT, silent), EXACT)
    assert np.array_equal(shrunk(SCHEMA, EXACT, silent), EXACT)
    assert Refinement(shrinkage=True).refine(rows, silent[None], pool=True) is rows


def test_what_is_switched_off_changes_nothing():
    rows = Rows(SCHEMA, NOISY[:2], np.array([5, 5]))
    assert Refinement(consistency=False).refine(rows, np.stack([NOISE, NOISE]), pool=True) is rows


@pytest.mark.parametrize("pool", [True, False])
def test_rows_in_another_order_are_refined_alike(pool):
    rows, sizes = NOISY[:5], np.arange(5)
    noise = np.outer(np.array([0.1, 0.7, 1e-3, 3.3, 2.0]), NOISE)
    order = [3, 1, 4, 0, 2]
    both = Refinement(consistency=True, shrinkage=True)
    first = both.refine(Rows(SCHEMA, rows, sizes), noise, pool=pool)
    again = both.refine(Rows(SCHEMA, rows[order], sizes[order]), noise[order], pool=pool)
    assert np.array_equal(first.tables if pool else first.tables[order], again.tables)
    assert len(first.sizes) == (1 if pool else 5)
