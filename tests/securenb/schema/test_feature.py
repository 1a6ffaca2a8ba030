"""Values become small integers, and what does not belong is told apart."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.records import UNKNOWN
from securenb.schema.schema import Schema

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
    [
        (0, 0, 8),
        (1, 0, 8),
        (0, float("inf"), 8),
        (float("nan"), 1, 8),
        (0, 1, 7),
        (0, 1, 0),
        (0, 1, -2),
        (-1e308, 1e308, 8),  # the width is infinite
        (-1e200, 1e200, 8),  # a variance is
        (0, 5e-324, 8),
        (1e16, 1e16 + 2, 8),
        (0, 1, 1 << 17),
        ("0", 1, 8),
        (None, 1, 8),
        (False, True, 8),
    ],
)
def test_impossible_bounds_and_grids_are_refused(lower, upper, steps):
    with pytest.raises(ValueError, match="height: (needs|.* finer than the floats)"):
        Numeric("height", lower, upper, steps=steps)


@pytest.mark.parametrize("steps", [64.0, "64", True, None, np.float32(64)])
def test_grid_steps_that_are_no_integer_are_refused_by_name(steps):
    with pytest.raises(ValueError, match="height: steps must be an integer, got"):
        Numeric("height", 0, 1, steps=steps)


@pytest.mark.parametrize("centred", [5, float("nan"), "no", None, 0])
def test_what_is_neither_true_nor_false_does_not_say_where_sums_are_taken(centred):
    with pytest.raises(ValueError, match="height: centred must be True or False, got"):
        Numeric("height", 0, 1, centred=centred)


@pytest.mark.parametrize("width", [np.int8, np.uint8, np.int64, np.uint64])
def test_grid_steps_of_numpys_are_those_of_pythons(width):
    feature = Numeric("height", 0, 1, steps=width(64))
    assert feature == Numeric("height", 0, 1)
    assert feature.square_reach == 32 * 32 - 512


def test_numbers_at_the_edge_of_floats_keep_their_order_on_the_grid():
    for lower, upper in [(-1e149, 1e149), (0, 1e-140), (1e15, 1e15 + 64)]:
        feature = Numeric("x", lower, upper, steps=8)
        points = [lower + (upper - lower) * eighth / 8 for eighth in range(9)]
        assert codes(feature, points) == list(range(9))


def test_a_bin_holds_its_lower_edge_and_the_outer_bins_all_beyond():
    assert codes(BINS, [-5, 0, 0.99, 1, 2.49, 2.5, 4, 99]) == [0, 0, 0, 1, 1, 2, 2, 2]
    assert BINS.levels == ("[0, 1)", "[1, 2.5)", "[2.5, 4)")


@pytest.mark.parametrize("edges", [(), (0, 1), (0, 2, 1), (0, 1, 1)])
@pytest.mark.parametrize("make", [Binned, lambda name, edges: Numeric(name, 0, 9, edges=edges)])
def test_too_few_or_unordered_edges_are_refused(make, edges):
    with pytest.raises(ValueError, match="height: needs at least three increasing edges"):
        make("height", edges)


@pytest.mark.parametrize("edge", [float("nan"), float("inf"), -float("inf"), "1", None, True, 1e200])
@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("make", [Binned, lambda name, edges: Numeric(name, 0, 9, edges=edges)])
def test_edges_that_are_no_finite_numbers_are_refused(make, at, edge):
    edges = [0, 1, 2]
    edges[at] = edge
    with pytest.raises(ValueError, match="height: needs finite edges"):
        make("height", tuple(edges))


NEVER = [1, 1.0, True, None, np.str_(""), "", "\ud800", " red", "red ", "\tred", "red\u00a0"]


@pytest.mark.parametrize("text", NEVER)
def test_levels_that_can_never_match_are_refused_by_name(text):
    with pytest.raises(ValueError, match="levels of colour.*(must be text|can never match)"):
        Categorical("colour", ("green", text))


@pytest.mark.parametrize("text", NEVER)
def test_classes_that_can_never_match_are_refused_by_name(text):
    with pytest.raises(ValueError, match="classes.*(must be text|can never match)"):
        Schema(("no", text), (HEIGHT,))


@pytest.mark.parametrize("name", [1, None, ("a", "b"), "\udcff"])
def test_names_of_columns_that_are_no_text_are_refused(name):
    for make in (
        lambda: Categorical(name, ("a", "b")),
        lambda: Numeric(name, 0, 1),
        lambda: Binned(name, (0, 1, 2)),
        lambda: Schema(("a", "b"), (HEIGHT,), label=name),
    ):
        with pytest.raises(ValueError, match="name must be text"):
            make()


def test_one_text_is_no_list_of_levels():
    with pytest.raises(ValueError, match="must be a sequence of texts, got the text 'ab'"):
        Categorical("colour", "ab")


NARROW = [np.int8, np.uint8, np.float16, np.float32, np.int64]


@pytest.mark.parametrize("of", NARROW)
def test_numbers_of_numpy_are_what_python_makes_of_them(of):
    """Narrow ones wrap: 100 - (-100) is -56 in eight bits."""
    low, high = (0, 100) if of is np.uint8 else (-100, 100)
    narrow = Numeric("x", of(low), of(high), edges=(of(low), of(1), of(high)), missing=of(2))
    plain = Numeric("x", low, high, edges=(low, 1, high), missing=2)
    assert narrow == plain
    assert narrow.canonical() == plain.canonical()
    values = pd.Series([low, 7, high, None])
    assert np.array_equal(narrow.encode(values), plain.encode(values))
    assert np.array_equal(narrow.histogram().encode(values), plain.histogram().encode(values))
    assert {type(value) for value in (narrow.lower, narrow.upper, narrow.missing, *narrow.edges)} <= {
        int,
        float,
    }


@pytest.mark.parametrize("missing", [float("inf"), float("nan"), "lvl", True, np.bool_(1), "0", 1e200])
def test_a_missing_number_becomes_a_number_or_a_level(missing):
    with pytest.raises(ValueError, match="x: a missing number becomes"):
        Binned("x", (0, 1, 2), missing)
    with pytest.raises(ValueError, match="x: a missing number becomes"):
        Numeric("x", 0, 1, edges=(0, 0.5, 1), missing=missing)


@pytest.mark.parametrize("spellings", ["NA", (9,), (" NA",), (None,)])
def test_spellings_of_missing_values_that_can_never_match_are_refused(spellings):
    with pytest.raises(ValueError, match="missing"):
        Schema(("a", "b"), (HEIGHT,), missing=spellings)
