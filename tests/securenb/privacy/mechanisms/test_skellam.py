"""Skellam noise is nearly as good as Gaussian noise, because statistics are put on a fine grid first."""

from fractions import Fraction

import pytest

from securenb.data.dataset import DATASETS
from securenb.privacy.accountant import Query, renyi_epsilon
from securenb.privacy.distributions import DiscreteGaussian
from securenb.privacy.mechanisms.skellam import Skellam

FINE = 10**6


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
def test_on_its_grid_it_costs_less_than_a_hundredth_more_than_a_gaussian_of_that_spread(epsilon):
    schema, mechanism = DATASETS["adult"].schema, Skellam.from_epsilon(epsilon, 1e-6)
    gaussian = []
    for block in schema.blocks:
        relative = Fraction(mechanism.noise(schema, block, 1).spread()) / (mechanism.grid * block.reach) ** 2
        gaussian.append(Query(DiscreteGaussian(relative * FINE**2), FINE))
    ratio = float(mechanism.charge(schema, 1).add_remove) / renyi_epsilon(gaussian, 1e-6)
    assert 1 <= ratio < 1.01
