"""Values become small integers, and what does not belong is told apart."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.schema.feature import Binned, Categorical, Numeric
from securenb.schema.records import UNKNOWN

COLOUR = Categorical("colour", ("red", "green", "?"), missing="?")
HEIGHT = Numeric("height", -1, 3, steps=8)
BINS = Binned("height", (0, 1, 2.5, 4))


def codes(feature, values, dtype=None):
    return feature.encode(pd.Series(values, dtype=dtype)).tolist()


def test_levels_are_counted_in_the_order_of_the_schema():
    assert codes(COLOUR, ["green", "red", "?"]) == [1, 0, 2]


@pytest.mark.parametrize("value", [None, float("nan"), "", "  ", "?", pd.NA])
def test_whatever_is_missing_is_the_level_for_it(value):
    assert codes(COLOUR, ["red", value], dtype=object) == [0, 2]


def test_spaces_around_a_level_do_not_matter_and_its_case_does():
    assert codes(COLOUR, [" red", "green\t", "Red", "re d"]) == [0, 1, UNKNOWN, UNKNOWN]


@pytest.mark.parametrize("value", [None, "", "blue"])
def test_without_a_level_for_it_a_missing_value_is_unknown(value):
    assert codes(Categorical("colour", ("red", "green")), ["green", value]) == [1, UNKNOWN]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "object", "string", "category"])
def test_a_level_may_be_a_whole_number_in_any_column_type(dtype):
    assert codes(Categorical("x", ("1", "2")), [2, 1, 3], dtype=dtype) == [1, 0, UNKNOWN]


def test_a_column_of_whole_numbers_with_a_gap_keeps_its_levels():
    assert codes(Categorical("x", ("1", "2", "?"), missing="?"), [2, None, 1, 1.5]) == [1, 2, 0, UNKNOWN]
    assert codes(Categorical("x", ("0.0", "0.5", "1.0")), [0.5, 1.0, 0.0]) == [1, 2, 0]


@pytest.mark.parametrize("levels", [(), ("red",), ("red", "red")])
def test_too_few_or_repeated_levels_are_refused(levels):
    with pytest.raises(ValueError, match="colour"):
        Categorical("colour", levels)


def test_a_missing_value_that_is_no_level_is_refused():
    with pytest.raises(ValueError, match="'n/a'"):
        Categorical("colour", ("red", "green"), missing="n/a")


def test_numbers_are_clipped_and_rounded_to_the_grid():
    assert codes(HEIGHT, [-9, -1, -0.8, 0, 0.2, 0.3, 3, 9]) == [0, 0, 0, 2, 2, 3, 8, 8]


@pytest.mark.parametrize("feature", [HEIGHT, BINS])
@pytest.mark.parametrize("dtype", ["object", "string"])
def test_what_is_no_number_is_unknown(feature, dtype):
    assert codes(feature, ["?", "", None, "1,5", "one", "inf", "-1e999"], dtype=dtype) == [UNKNOWN] * 7


@pytest.mark.parametrize("feature", [HEIGHT, BINS])
def test_numbers_may_be_text(feature):
    assert codes(feature, ["1", " 2 ", "3e-1"]) == codes(feature, [1, 2, 0.3])


@given(
    lower=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    half=st.integers(1, 5_000),
    where=st.floats(-1, 2),
    centred=st.booleans(),
)
def test_a_value_is_at_most_half_a_step_from_its_grid_point(lower, width, half, where, centred):
    feature = Numeric("x", lower, lower + width, steps=2 * half, centred=centred)
    value = lower + where * width
    (code,) = codes(feature, [value])
    assert 0 <= code <= feature.steps
    inside = min(max(value, feature.lower), feature.upper)
    point = feature.lower + code * feature.step
    assert abs(point - inside) <= feature.step * 0.5 + 1e-9 * (abs(lower) + width)


@given(half=st.integers(1, 500), centred=st.booleans())
def test_reach_is_how_far_the_farthest_grid_point_moves_sum_and_squares(half, centred):
    feature = Numeric("x", 0, 1, steps=2 * half, centred=centred)
    shifted = np.arange(feature.steps + 1) - feature.offset
    assert np.abs(shifted).max() == feature.reach
    assert np.abs(shifted**2 - feature.square_offset).max() == feature.square_reach


@pytest.mark.parametrize(
    ("lower", "upper", "steps"),
    [(0, 0, 8), (1, 0, 8), (0, float("inf"), 8), (float("nan"), 1, 8), (0, 1, 7), (0, 1, 0), (0, 1, -2)],
)
def test_impossible_bounds_and_grids_are_refused(lower, upper, steps):
    with pytest.raises(ValueError, match="height: needs"):
        Numeric("height", lower, upper, steps=steps)


def test_a_bin_holds_its_lower_edge_and_the_outer_bins_all_beyond():
    assert codes(BINS, [-5, 0, 0.99, 1, 2.49, 2.5, 4, 99]) == [0, 0, 0, 1, 1, 2, 2, 2]
    assert BINS.levels == ("[0, 1)", "[1, 2.5)", "[2.5, 4)")


@pytest.mark.parametrize("edges", [(), (0, 1), (0, 2, 1), (0, 1, 1)])
def test_too_few_or_unordered_edges_are_refused(edges):
    with pytest.raises(ValueError, match="increasing edges"):
        Binned("height", edges)
