"""Bringing forged statistics within the invariants."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.toolkit.forging import honest_points, table_at
from attacks.toolkit.projection import into_invariants
from securenb.bayes.parameters import estimate
from securenb.robust.points import stabilised
from securenb.schema.features import Categorical, Numeric
from securenb.schema.invariants import invariants
from securenb.schema.levelled import apportion
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

SCHEMA = Schema(
    ("a", "b"),
    (Categorical("c", ("x", "y", "z")), Numeric("n", 0, 1, steps=8), Numeric("m", 0, 1, centred=False)),
)
SHAPE = (2, SCHEMA.width)


def honest(rng, records=30):
    codes = np.column_stack(
        [rng.integers(0, 3, records), rng.integers(0, 9, records), rng.integers(0, 65, records)]
    )
    return Statistics.of(
        SCHEMA, Records(codes.astype(np.int32), rng.integers(0, 2, records).astype(np.int32))
    ).table


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 30, 1000]), st.floats(0, 18))
@settings(max_examples=200, deadline=None)
def test_whatever_is_forged_satisfies_them_afterwards(seed, cap, size):
    rng = np.random.default_rng(seed)
    forged = (rng.normal(size=SHAPE) * 10.0**size).clip(-9e18, 9e18)
    forged = forged.astype(np.int64) if seed % 2 else np.where(rng.random(SHAPE) < 0.1, np.nan, forged)
    table = into_invariants(SCHEMA, forged, cap)
    assert invariants(SCHEMA, cap).broken(table.reshape(-1)) == ()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_honest_statistics_within_the_cap_stay_as_they_are(seed):
    table = honest(np.random.default_rng(seed))
    assert np.array_equal(into_invariants(SCHEMA, table, 30), table)


def test_what_is_no_table_becomes_zeros():
    for bad in (np.zeros(3), np.array([["a"] * SCHEMA.width] * 2), np.full((2, 2), np.nan)):
        assert not into_invariants(SCHEMA, bad, 30).any()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_a_table_can_be_forged_for_any_wanted_point(seed):
    rng = np.random.default_rng(seed)
    point = stabilised(estimate(SCHEMA, honest(rng, 60)[None], 1.0)).values[0]
    found = honest_points(SCHEMA, table_at(SCHEMA, point, np.array([4e5, 6e5]), 1.0)[None], 1.0)[0]
    assert np.allclose(found, point, atol=2e-3)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_totals_are_apportioned_row_by_row_largest_remainders_first(seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, (5, 7)).astype(float)
    totals = rng.integers(0, 30, 5)
    found = apportion(weights, totals)
    assert np.array_equal(found.sum(axis=1), totals)
    for row, some, total in zip(found, weights, totals, strict=True):
        shares = some / some.sum() if some.any() else np.full(7, 1 / 7)
        assert np.abs(row - total * shares).max() < 1
        assert np.array_equal(row, apportion(some, int(total)))
