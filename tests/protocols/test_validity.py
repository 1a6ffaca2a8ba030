"""Descriptions of valid vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.validity import Equality, Form, Product, Range, Validity, within


def vector(*values):
    return np.array(values, dtype=np.int64)


PAIR = Validity(
    2,
    (Range("first", Form(((0, 1),)), 10), Range("gap", Form(((0, 3), (1, -1)), 2), 40)),
    (Equality("even", Form(((0, 1), (1, -1)), 4)),),
    (Product("spread", Form(((0, 1),)), Form(((1, 1),)), Form(((0, 1),)), 50),),
)


def test_bounds_follow_from_the_ranges_in_any_order():
    assert PAIR.bounds == ((0, 10), (-38, 32))
    turned = Validity(2, PAIR.ranges[::-1])
    assert turned.bounds == PAIR.bounds


@pytest.mark.parametrize(
    "ranges",
    [
        (Range("first", Form(((0, 1),)), 10),),
        (Range("first", Form(((0, 1),)), 10), Range("twice", Form(((1, 2),)), 10)),
        (Range("sum", Form(((0, 1), (1, 1))), 10),),
    ],
    ids=["no range", "coefficient two", "two unknowns"],
)
def test_a_coordinate_that_no_range_bounds_is_named(ranges):
    with pytest.raises(ValueError, match="coordinate [01]"):
        _ = Validity(2, ranges).bounds


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_broken_families_are_those_of_the_arithmetic(x, y):
    expected = []
    if not 0 <= x <= 10:
        expected.append("first")
    if not 0 <= 3 * x - y + 2 <= 40:
        expected.append("gap")
    if x - y + 4 != 0:
        expected.append("even")
    if not 0 <= x * y - x * x <= 50:
        expected.append("spread")
    assert PAIR.broken(vector(x, y)) == tuple(expected)


@given(st.integers(0, 10), st.integers(-38, 32))
def test_no_value_exceeds_the_largest(x, y):
    rules = [3 * x - y + 2, x - y + 4, x * y - x * x]
    assert max(map(abs, rules)) <= PAIR.largest


def test_within_is_the_bound_and_nothing_else():
    rule = within(3, 7)
    assert rule.bounds == ((-7, 7),) * 3
    assert rule.broken(vector(-7, 0, 7)) == ()
    assert rule.broken(vector(-8, 0, 7)) == rule.broken(vector(0, 0, 8)) == ("bound",)


@pytest.mark.parametrize("terms", [(), ((0, 1), (0, 2))])
def test_a_form_needs_different_coordinates(terms):
    with pytest.raises(ValueError, match="terms"):
        Form(terms)


@pytest.mark.parametrize("wrong", [np.zeros(3, np.int64), np.zeros(2), np.zeros((2, 1), np.int64)])
def test_a_vector_of_another_shape_or_type_is_refused(wrong):
    with pytest.raises(ValueError, match="length 2"):
        PAIR.broken(wrong)


def test_descriptions_that_differ_have_different_digests():
    others = [
        Validity(2, PAIR.ranges, PAIR.equalities),
        Validity(2, PAIR.ranges[:1], PAIR.equalities, PAIR.products),
        Validity(2, (PAIR.ranges[0], Range("gap", Form(((0, 3), (1, -1)), 2), 41))),
        within(2, 10),
    ]
    assert len({PAIR.digest, *(other.digest for other in others)}) == 5
