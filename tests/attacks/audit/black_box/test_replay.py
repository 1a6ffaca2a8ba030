"""Recorded noise: what it hides is computed, and nothing is said where it cannot be."""

import math

import numpy as np
import pytest

from attacks.audit.black_box.claim import Approximate, gaussian_epsilon
from attacks.audit.black_box.release import Here
from attacks.audit.black_box.replay import audit_replay

PAIR = [([0.0, 0.5], [0.0, 0.5, 1.0])]


def replayed(release, epsilon=1.0, delta=0.0, pairs=PAIR):
    return list(audit_replay(Here(release, pairs), Approximate(epsilon, delta), 0))


def correlated(data, rng):
    """Three sums with noise that is mixed by a matrix: the loss is that of the matrix's inverse."""
    mixed = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]]) @ rng.laplace(0.0, 4.0, 3)
    return np.full(3, sum(data)) + mixed


LOSSES = {
    "one draw": (lambda data, rng: sum(data) + rng.laplace(0, 2), 0.5),
    "a vector": (lambda data, rng: np.full(4, sum(data)) + rng.laplace(0, 2, 4), 2.0),
    "scales of each": (lambda data, rng: np.full(2, sum(data)) + rng.laplace(0, [1, 4]), 1.25),
    "a unit draw that is scaled": (lambda data, rng: sum(data) + 2 * rng.laplace(), 0.5),
    "mixed": (
        correlated,
        np.abs(np.linalg.solve([[1, 0.5, 0], [0, 1, 0.5], [0, 0, 1]], np.ones(3))).sum() / 4,
    ),
    "a draw that is thrown away": (lambda data, rng: sum(data) + rng.laplace(0, 2) + 0 * rng.laplace(), 0.5),
    "numpy's own generator": (lambda data: sum(data) + np.random.default_rng().laplace(0, 2), 0.5),
    "numpy's old functions": (lambda data: sum(data) + np.random.laplace(0, 2), 0.5),  # noqa: NPY002 - as others do
    "no noise on the second": (lambda data, rng: [sum(data) + rng.laplace(), sum(data)], math.inf),
    "one draw for two": (
        lambda data, rng: np.array([sum(data), len(data) + sum(data)]) + rng.laplace(),
        math.inf,
    ),
    "normal noise": (lambda data, rng: sum(data) + rng.normal(0, 3), math.inf),
    "the size of the data": (lambda data, rng: sum(data) + rng.laplace(0, len(data)), math.inf),
}


@pytest.mark.parametrize("name", LOSSES)
def test_the_loss_is_what_the_recorded_noise_hides(name):
    release, loss = LOSSES[name]
    found = replayed(release)
    assert [finding.verdict for finding in found] == ["FAIL" if loss > 1 else "PASS"]
    assert found[0].bound == pytest.approx(loss)


def test_normal_noise_costs_what_its_curve_says():
    found = replayed(lambda data, rng: np.full(4, sum(data)) + rng.standard_normal(4) * 8, 1.0, 1e-5)
    assert found[0].bound == pytest.approx(gaussian_epsilon(0.25, 1e-5), rel=1e-6)
    assert found[0].verdict == "PASS"


SILENT = {
    "clamped": lambda data, rng: max(0.0, sum(data) + rng.laplace()),
    "rounded": lambda data, rng: round(sum(data) + rng.laplace()),
    "another law": lambda data, rng: sum(data) + int(rng.geometric(0.5)),
    "two draws for one": lambda data, rng: sum(data) + rng.laplace() + rng.laplace(),
    "a branch on the noise": lambda data, rng: sum(data) + (rng.laplace() if rng.laplace() > 0 else 0),
    "raising": lambda data, rng: [][1],
    "no noise": lambda data, rng: sum(data),
    "a product": lambda data, rng: sum(data) * rng.laplace() * rng.laplace(),
    "NaN": lambda data, rng: float("nan") + rng.laplace(),
    "other lengths": lambda data, rng: [rng.laplace()] * len(data),
    "scales up to a delta": lambda data, rng: sum(data) + rng.laplace(0, len(data)),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_where_the_output_is_no_affine_function_of_the_noise(name):
    assert replayed(SILENT[name], delta=1e-6) == []


def test_numpy_is_put_back():
    before = np.random.default_rng, np.random.laplace
    replayed(lambda data: [][1])
    assert (np.random.default_rng, np.random.laplace) == before
