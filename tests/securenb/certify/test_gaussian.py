"""The extremes of what a Gaussian says, against every placement of a few records within the invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from securenb.certify.gaussian import GaussianReach, Placement
from securenb.schema.features import Numeric
from securenb.schema.invariants import invariants
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


def every_placement(top, added):
    """All integer sums and sums of squares that the invariants let `added` records have."""
    pairs = [
        (s, q)
        for s in range(top * added + 1)
        for q in range(max(s, -(-s * s // added) if added else 0), top * s + 1)
    ]
    return Placement(*np.array(pairs, dtype=np.float64).T[:, None])


def reach_of(feature, rng, most, noise=0):
    """A class with some records, its moments as noise may have left them."""
    n, centre = int(rng.integers(0, most)), rng.uniform(0, feature.steps)
    values = np.clip(np.rint(rng.normal(centre, rng.uniform(0, 3), n)), 0, feature.steps).astype(int)
    c = int((values - feature.offset).sum())
    d = int(((values - feature.offset) ** 2 - feature.square_offset).sum())
    if noise:
        n, c, d = (int(x + rng.integers(-noise, noise + 1)) for x in (n, c, d))
    return GaussianReach(feature, n, c, d)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10**6), st.sampled_from([2, 4, 10]), st.booleans(), st.integers(0, 8), st.integers(0, 6)
)
def test_no_placement_is_beyond_the_bounds(seed, top, centred, added, noise):
    rng = np.random.default_rng(seed)
    reach = reach_of(Numeric("a", 0, 1, top, centred=centred), rng, 40, noise)
    codes, count = np.arange(top + 1.0)[:, None], np.full((1, 1), float(added))
    densities = reach.density(codes, count, every_placement(top, added))
    least, most = reach.bounds(codes, count)
    assert (least[:, 0] <= densities.min(axis=1) + 1e-9).all()
    assert (most[:, 0] >= densities.max(axis=1) - 1e-9).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.booleans())
def test_the_bounds_are_reached_by_placements_among_real_numbers(seed, added, centred):
    """So that a certificate gives nothing away: a fine lattice of real placements comes close to both."""
    rng = np.random.default_rng(seed)
    top = 10
    reach = reach_of(Numeric("a", 0, 1, top, centred=centred), rng, 60)
    s, mix = np.meshgrid(np.linspace(0, top * added, 2001), np.linspace(0, 1, 41))
    low = np.maximum(s, s**2 / added)
    lattice = Placement(s.reshape(1, -1), (low + mix * (top * s - low)).reshape(1, -1))
    codes, count = np.arange(top + 1.0)[:, None], np.full((1, 1), float(added))
    densities = reach.density(codes, count, lattice)
    least, most = reach.bounds(codes, count)
    # where the variance is near its lower bound, the density is too steep for the lattice
    scale = 0.02 + 0.02 * np.abs(least[:, 0])
    assert (densities.min(axis=1) - least[:, 0] <= scale).all()
    assert (most[:, 0] - densities.max(axis=1) <= scale).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 300), st.integers(0, 5), st.booleans())
def test_the_best_placement_is_within_the_invariants(seed, added, noise, most):
    rng = np.random.default_rng(seed)
    feature = Numeric("a", 0, 1, 64)
    reach = reach_of(feature, rng, 60, noise)
    schema = Schema(("x", "y"), (feature,))
    rules = invariants(schema, 300)
    codes, counts = np.arange(0.0, 65.0, 16), np.full(5, added)
    place = reach.best(codes, counts.astype(np.float64), most=most)
    for pair in place.centred(feature, counts):
        table = Statistics.zero(schema).table
        table[0] = added, *pair
        assert rules.broken(table.reshape(-1)) == ()


@pytest.mark.parametrize("most", [True, False])
def test_the_best_placement_comes_near_the_bound_where_there_are_many_records(most):
    rng = np.random.default_rng(2)
    feature = Numeric("a", 0, 1, 64)
    values = np.clip(np.rint(rng.normal(20, 9, 3000)), 0, 64).astype(int)
    shifted = values - feature.offset
    reach = GaussianReach(feature, 3000, int(shifted.sum()), int((shifted**2 - feature.square_offset).sum()))
    codes, added = np.arange(65.0)[:, None], np.array([[1.0, 10.0, 300.0, 3000.0]])
    bound = reach.bounds(codes, added)[most]
    near = reach.density(codes, added, reach.best(codes, added, most=most))
    assert np.abs(bound - near).max() < 1e-3
