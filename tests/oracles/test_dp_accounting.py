"""Google's accountant agrees on what our mechanisms cost up to a delta."""

import math
from fractions import Fraction

import pytest

from securenb.privacy.accountant import ORDERS, Query, loss_delta, loss_epsilon, renyi_epsilon
from securenb.privacy.budget import Budget, Orders, fixed_epsilon
from securenb.privacy.distributions import DiscreteGaussian, Polya, Skellam

pld = pytest.importorskip(
    "dp_accounting.pld.privacy_loss_distribution",
    reason="dp-accounting is not installed (extra `oracle`)",
)
rdp = pytest.importorskip("dp_accounting.rdp", reason="dp-accounting is not installed (extra `oracle`)")
dp_accounting = pytest.importorskip("dp_accounting")

DELTA = 1e-6
INTERVAL = 1e-5
"""Their resolution of the privacy loss; 21 of them round up by at most 2.1e-4 together."""


@pytest.mark.parametrize(("scale", "shift"), [(21, 1), (21 * 8, 8), (2.1, 1)])
@pytest.mark.parametrize("times", [1, 21])
def test_discrete_laplace_costs_what_they_say(scale, shift, times):
    theirs = pld.from_discrete_laplace_mechanism(
        1 / scale, sensitivity=shift, value_discretization_interval=INTERVAL
    ).self_compose(times)
    query = Query(Polya(Fraction(str(scale))), shift, times)
    epsilon = loss_epsilon([query], DELTA)
    assert epsilon == pytest.approx(theirs.get_epsilon_for_delta(DELTA), rel=2e-3, abs=3e-4)
    half = epsilon / 2
    assert loss_delta([query], half) == pytest.approx(theirs.get_delta_for_epsilon(half), rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 21])
@pytest.mark.parametrize("multiplier", [3, 15])
def test_fine_noise_costs_what_they_say_a_gaussian_costs(times, multiplier):
    theirs = pld.from_gaussian_mechanism(multiplier, value_discretization_interval=INTERVAL).self_compose(
        times
    )
    expected = theirs.get_epsilon_for_delta(DELTA)
    for law in (Skellam, DiscreteGaussian):
        noise = law(Fraction((16 * multiplier) ** 2))
        assert loss_epsilon([Query(noise, 16, times)], DELTA) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("times", [1, 21])
@pytest.mark.parametrize("multiplier", [3, 15])
def test_renyi_accounting_of_a_gaussian_is_theirs(times, multiplier):
    accountant = rdp.RdpAccountant(orders=list(range(2, 513)))
    accountant.compose(dp_accounting.GaussianDpEvent(multiplier), times)
    ours = renyi_epsilon([Query(DiscreteGaussian(Fraction(multiplier**2)), 1, times)], DELTA)
    assert ours == pytest.approx(accountant.get_epsilon(DELTA), rel=5e-3)


@pytest.mark.parametrize("order", [4, 30, 300])
@pytest.mark.parametrize("rounds", [1, 10, 100])
def test_a_budget_at_one_order_is_what_their_accountant_says_at_that_order(order, rounds):
    accountant = rdp.RdpAccountant(orders=[order])
    accountant.compose(dp_accounting.GaussianDpEvent(15), 21 * rounds)
    cost = Query(DiscreteGaussian(Fraction(15**2)), 1, 21)
    ours = Orders(((order, Fraction(1)),)).epsilon([cost] * rounds, DELTA)
    assert float(ours) == pytest.approx(accountant.get_epsilon(DELTA), rel=1e-6)


@pytest.mark.parametrize(("scale", "rounds"), [(210, 1), (210, 10), (21, 5)])
def test_rounds_fixed_in_advance_cost_what_they_say(scale, rounds):
    theirs = pld.from_discrete_laplace_mechanism(
        1 / scale, sensitivity=1, value_discretization_interval=INTERVAL
    ).self_compose(21 * rounds)
    cost = Query(Polya(Fraction(scale)), 1, 21)
    expected = theirs.get_epsilon_for_delta(DELTA)
    assert fixed_epsilon([cost] * rounds, DELTA) == pytest.approx(expected, rel=2e-3, abs=3e-3)


@pytest.mark.parametrize("rounds", [10, 100])
@pytest.mark.parametrize("multiplier", [40, 400])
def test_a_budget_for_rounds_that_are_chosen_costs_what_its_half_of_delta_may_cost(rounds, multiplier):
    """Let ρ be the divergence by order, b(a, δ) what an order's conversion adds, and ε = aρ + b(a, δ) theirs.

    Half of δ adds log 2 / (a - 1) to b. The order a* that is chosen makes (ε - b(a, δ/2)) / a the largest, so
    ρ exceeds that by at most log 2 / a(a - 1), and a*ρ + b(a*, δ/2) exceeds ε by at most a* times as much.
    """
    accountant = rdp.RdpAccountant(orders=ORDERS.tolist())
    accountant.compose(dp_accounting.GaussianDpEvent(multiplier), 21 * rounds)
    best, order = accountant.get_epsilon_and_optimal_order(DELTA)
    orders = Orders.best_for(Budget(Fraction(best), DELTA))
    chosen, _ = max(orders.parts, key=lambda part: part[1])
    spent = orders.epsilon([Query(DiscreteGaussian(Fraction(multiplier**2)), 1, 21)] * rounds, DELTA)
    assert best < float(spent) <= best + math.log(2) * chosen / (order * (order - 1))
