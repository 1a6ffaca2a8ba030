"""`assert_private`, as other people's tests use it, and the audit of a function as Python calls it."""

import contextlib

import numpy as np
import pytest

import attacks.audit
from attacks.testing import assert_private


def right(data, rng):
    return float(np.clip(data, 0, 1).sum() + rng.laplace(0, 1))


def wrong(data, rng):
    return float(np.clip(data, 0, 1).sum() + rng.laplace(0, 0.5))


def test_a_private_release_passes():
    assert_private(right, epsilon=1, runs=8_000, low_bits=False)


def test_one_that_is_not_fails_with_a_witness():
    with pytest.raises(AssertionError, match="certainly not .* witness: 20 numbers, and a 1 more"):
        assert_private(wrong, epsilon=1)


def test_low_bits_of_textbook_noise_are_read_unless_it_is_told_not_to():
    with pytest.raises(AssertionError, match="the lowest bit"):
        assert_private(right, epsilon=1)


def test_neighbours_may_be_given():
    def exact_for_negatives(data, rng):
        return data if data < 0 else data + int(rng.geometric(0.7)) - int(rng.geometric(0.7))

    assert_private(exact_for_negatives, epsilon=1.3, neighbours=[(4, 5)], runs=8_000)
    with pytest.raises(AssertionError, match="not .1.3, 0.-DP"):
        assert_private(exact_for_negatives, epsilon=1.3, neighbours=[(-1, 0, "below zero")], runs=8_000)


def test_data_that_a_release_changes_are_fresh_in_every_run():
    def eats(data, rng):
        data.append(1)
        return len(data) + int(rng.geometric(0.7)) - int(rng.geometric(0.7))

    assert_private(eats, epsilon=1.3, neighbours=[([1], [1, 2])], runs=4_000)


def test_the_audit_is_a_function_too():
    found = attacks.audit(wrong, 1.0)
    assert found.verdict == "FAIL"
    assert found.answer().startswith("May this be published at epsilon 1? No: Laplace noise loses 2")
    assert "Not looked at: neighbours that were not tried" in found.answer()


@pytest.mark.parametrize(
    ("release", "message"),
    [
        (lambda data, rng: [][1], "raises IndexError in every run"),
        (lambda data, rng: object(), "a run returned object"),
        (lambda data, rng: [], "returns no number"),
        (lambda data, rng: [0.0] * 200_000, "a run returned 200000 numbers"),
    ],
)
def test_what_is_no_release_is_refused(release, message):
    with pytest.raises(ValueError, match=message):
        attacks.audit(release, 1.0)


def test_one_that_hangs_is_refused():
    def hangs(data, rng):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))

    with pytest.raises(ValueError, match="a run did not end within 0.5 seconds"):
        attacks.audit(hangs, 1.0, longest=0.5)


def test_pairs_that_are_none_are_refused():
    for pairs, message in (([], "at least one|no pair"), ([(1,)], "got 1 parts")):
        with pytest.raises(ValueError, match=message):
            attacks.audit(right, 1.0, neighbours=pairs)
