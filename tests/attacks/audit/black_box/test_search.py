"""The search for a telling event: about nothing on equal inputs, at its level on sound releases."""

import numpy as np
import pytest

from attacks.audit.black_box.claim import Approximate, Gaussian, gaussian_epsilon, gaussian_shift
from attacks.audit.black_box.outputs import Outputs
from attacks.audit.black_box.questions import lowest_bit
from attacks.audit.black_box.release import Here
from attacks.audit.black_box.search import audit_release
from attacks.audit.black_box.tables import audit_tables
from attacks.audit.specimen import two_sided

NOTHING = [(None, None, "the same")]


def bounds(release, pairs=NOTHING, claim=None, seed=0, **choices):
    found = audit_release(Here(release, pairs), claim or Approximate(1.0), seed, 0.001, **choices)
    return [finding.bound for finding in found]


NULLS = {
    "a number": lambda data, rng: rng.laplace(),
    "an integer": lambda data, rng: int(rng.geometric(0.5)),
    "many numbers": lambda data, rng: rng.normal(size=12),
    "a constant": lambda data, rng: 7,
    "text": lambda data, rng: "ab"[int(rng.integers(2))],
    "lengths by chance": lambda data, rng: [0.5] * int(rng.integers(1, 4)),
    "raising by chance": lambda data, rng: 1 / int(rng.integers(3)),
    "numbers that are none": lambda data, rng: [float("nan"), float("inf"), None, 3][int(rng.integers(4))],
    "dependent numbers": lambda data, rng: (lambda x: [x, 2 * x, 1 - x])(rng.normal()),
    "a dictionary": lambda data, rng: {"a": rng.normal(), "b": [1, {2}]},
}


@pytest.mark.parametrize("name", NULLS)
def test_on_equal_inputs_the_bound_is_about_nothing(name):
    assert max(bounds(NULLS[name], runs=4_000)) < 0.1


@pytest.mark.slow
def test_alarms_about_sound_releases_are_as_rare_as_stated():
    """At a level of one in ten, so that a sample may tell: 60 audits of tight claims, at most 14 alarms.

    More have a probability below 0.001 if each is one in ten.
    """
    alarms = 0
    for seed in range(60):
        release = Here(lambda data, rng: data + two_sided(rng, 1.0), [(0, 1)])
        found = audit_release(release, Approximate(1.0), seed, 0.1, runs=4_000)
        alarms += any(finding.verdict == "FAIL" for finding in found)
    assert alarms <= 14


def test_rows_of_tables_are_judged_like_runs():
    rng = np.random.default_rng(1)

    def outputs(values):
        return Outputs(np.full(len(values), "returns 1 numbers"), values[:, None], np.zeros(len(values)))

    low, high, same = (outputs(np.round(rng.laplace(at, 1, 20_000), 3)) for at in (0, 1, 0))
    verdicts = [audit_tables(low, high, Approximate(epsilon), 0.001)[0] for epsilon in (1.0, 0.7)]
    assert [found.verdict for found in verdicts] == ["PASS", "FAIL"]
    assert 0.7 < verdicts[0].bound < 1
    assert audit_tables(low, same, Approximate(1.0), 0.001)[0].bound < 0.05


def test_a_gaussian_claim_is_tested_all_along_its_curve():
    def release(data, rng):
        return round(data + rng.normal(0.0, 1 / (2 * gaussian_shift(1.0, 1e-5))), 3)

    pairs = [(0.0, 1.0)]
    assert bounds(release, pairs, Approximate(1.0, 1e-5), runs=20_000)[0] < 1
    shown = bounds(release, pairs, Gaussian(1.0, 1e-5), runs=20_000)[0]
    assert 1 < shown < gaussian_epsilon(2 * gaussian_shift(1.0, 1e-5), 1e-5)


def test_a_claim_of_several_runs_is_no_less_than_of_one():
    for claim in (Approximate(0.5), Approximate(0.5, 1e-6), Gaussian(0.5, 1e-6)):
        assert claim.repeated(1).epsilon == pytest.approx(claim.epsilon, rel=1e-6)
        assert claim.repeated(4).epsilon > claim.epsilon


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.0, 0.0), (-1.0, 0.0), (float("nan"), 0.0), (1.0, 1.0), (1.0, -0.1)]
)
def test_what_is_no_claim_is_refused(epsilon, delta):
    with pytest.raises(ValueError, match="must be"):
        Approximate(epsilon, delta)


def test_a_gaussian_claim_needs_a_delta():
    with pytest.raises(ValueError, match="only up to a delta"):
        Gaussian(1.0)


def test_the_lowest_bit_is_that_of_the_binary_expansion():
    assert lowest_bit(np.array([1.0, 3.0, 0.5, 0.75, 12.0, -8.0, 0.0])).tolist() == [0, 0, -1, -2, 2, 3, 1100]


def test_slow_releases_are_inconclusive_rather_than_passed():
    import time

    def slow(data, rng):
        time.sleep(0.002)
        return data + two_sided(rng, 1.0)

    found = list(audit_release(Here(slow, [(0, 1)]), Approximate(0.1), 0, 0.001, seconds=1.0))
    assert found[0].verdict == "INCONCLUSIVE"
    assert "so few runs" in found[0].evidence
