"""A cell means the same wherever it comes from, and whatever stands beside it."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from securenb.data.source import opened
from securenb.schema.cells import blank, look_up, numbers, text_of, texts
from securenb.schema.features import Binned, Categorical, Numeric
from securenb.schema.features.binned import LEVEL
from securenb.schema.records import UNKNOWN
from securenb.schema.schema import Schema
from securenb.schema.toml import schema_from_dict, schema_to_dict

VALUES = (
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6)
    | st.sampled_from(["", "01", "1", "1.0", "NA", "nan", "True", "TRUE", "1e3", " x", "x\u00a0", "\u2028"])
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.booleans()
    | st.none()
)
DTYPES = [
    ("int64", st.integers(-(2**63), 2**63 - 1)),
    ("uint8", st.integers(0, 255)),
    ("Int64", st.integers(-(2**63), 2**63 - 1) | st.none()),
    ("float64", st.floats()),
    ("float32", st.floats(width=32)),
    ("Float64", st.floats(allow_nan=False) | st.none()),
    ("bool", st.booleans()),
    ("boolean", st.booleans() | st.none()),
    ("string", st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=4) | st.none()),
    ("object", VALUES),
    ("category", st.sampled_from(["a", "b", " a", None])),
]


def as_in_a_file(column):
    """The cells of the CSV file that pandas writes of a column."""
    return io.BytesIO(pd.DataFrame({"x": column, "y": 0}).to_csv(index=False).encode())


@pytest.mark.parametrize(("dtype", "values"), DTYPES, ids=[name for name, _ in DTYPES])
def test_a_cell_of_a_table_means_what_it_means_in_a_file(dtype, values, tmp_path_factory):
    path = tmp_path_factory.mktemp("cells") / "x.csv"

    @settings(max_examples=30)
    @given(st.lists(values, min_size=1, max_size=8))
    def check(drawn):
        column = pd.Series(drawn, dtype=dtype)
        path.write_bytes(as_in_a_file(column).getvalue())
        with opened(path) as chunks:
            cells = [cell for chunk in chunks for cell in chunk.table["x"]]
        assert texts(cells) == texts(column)
        assert np.array_equal(numbers(cells), numbers(column), equal_nan=True)
        assert np.array_equal(blank(cells), blank(column))

    check()


@given(st.lists(VALUES, min_size=1, max_size=8), st.data())
def test_what_stands_beside_a_cell_does_not_change_it(drawn, data):
    at = data.draw(st.integers(0, len(drawn) - 1))
    column, alone = pd.Series(drawn, dtype=object), pd.Series([drawn[at]], dtype=object)
    cells = [text_of(value) for value in drawn]
    for one, other in ((column, alone), (cells, cells[at : at + 1])):
        assert np.array_equal(numbers(one)[at], numbers(other)[0], equal_nan=True)
        assert look_up(one, len)[at] == look_up(other, len)[0]


def test_values_that_python_takes_for_equal_are_told_apart():
    column = pd.Series([True, 1, 1.0, "1", "01"], dtype=object)
    assert texts(column) == ["True", "1", "1.0", "1", "01"]
    levels = Categorical("x", ("01", "1", "1.0", "True"))
    assert levels.encode(column).tolist() == [3, 1, 2, 1, 0]


def test_dates_and_exact_numbers_are_their_text():
    column = pd.Series([pd.Timestamp(2020, 1, 2), pd.NaT, dt.date(2020, 1, 2)], dtype=object)
    assert texts(column) == ["2020-01-02 00:00:00", "", "2020-01-02"]


GAP = pd.Series([20.0, None, 70.0])


def test_a_missing_number_becomes_the_schema_s_public_one():
    assert Numeric("age", 0, 64, missing=32).encode(GAP).tolist() == [20, 32, 64]
    assert Numeric("age", 0, 64).encode(GAP).tolist() == [20, UNKNOWN, 64]
    assert Binned("age", (0, 30, 60), missing=40).encode(["20", " ", "70"]).tolist() == [0, 1, 1]
    assert Numeric("age", 0, 64, missing=32).encode(["x", "nan", ""]).tolist() == [UNKNOWN, UNKNOWN, 32]


def test_a_histogram_may_count_missing_numbers_by_themselves():
    schema = Schema(("a", "b"), (Numeric("age", 0, 64, edges=(0, 30, 64), missing=LEVEL),))
    assert schema.features[0].encode(GAP).tolist() == [20, UNKNOWN, 64]
    histogram = schema.histogram()
    (age,) = histogram.features
    assert age.levels[-1] == "missing"
    assert age.encode(GAP).tolist() == [0, 2, 1]
    assert (schema.blocks[1].reach, histogram.blocks[1].reach) == (32, 1)


@pytest.mark.parametrize(
    ("missing", "edges", "reason"),
    [(LEVEL, None, "needs edges"), (65, None, "outside the bounds"), (float("nan"), None, "finite number")],
)
def test_a_place_for_missing_numbers_that_is_none_is_refused(missing, edges, reason):
    with pytest.raises(ValueError, match=reason):
        Numeric("age", 0, 64, edges=edges, missing=missing)


def test_spellings_of_what_is_missing_are_declared_and_levels_come_first():
    features = (Categorical("continent", ("EU", "NA")), Categorical("ward", ("icu", "?"), "?"))
    schema = Schema(("no", "yes"), (*features, Numeric("age", 0, 64, missing=8)), "y", missing=("NA", "N/A"))
    table = {"continent": ["NA", "EU"], "ward": ["NA", " N/A "], "age": ["NA", "9"], "y": ["no", "yes"]}
    assert schema.records(table).codes.tolist() == [[1, 1, 8], [0, 1, 9]]
    with pytest.raises(ValueError, match="row 1, column 'y': 'N/A' is not in the schema"):
        schema.records(table | {"y": ["N/A", "no"]})
    plain = Schema(schema.classes, schema.features, "y")
    assert plain.digest != schema.digest
    assert schema_from_dict(schema_to_dict(schema)) == schema
    assert "missing" not in schema_to_dict(plain)
