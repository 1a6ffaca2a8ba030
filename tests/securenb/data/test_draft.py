"""A proposal is a schema file that says what it is."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from securenb.cli.main import MISTAKE, main
from securenb.data.draft import propose_schema
from securenb.data.own import load_file
from securenb.data.reader import read_records
from securenb.schema.features import Categorical, Numeric
from securenb.schema.toml import read_schema


def ward(i):
    return "" if i == 5 else "x" if i % 2 else "y"


ROWS = "".join(
    f"{20 + i / 3:.2f},{i % 4},{'red' if i % 3 else 'blue'},{ward(i)},same,{i % 2}\n" for i in range(60)
)
TEXT = "age,rooms,colour,ward,country,bought\n" + ROWS


@pytest.fixture
def public(tmp_path):
    path = tmp_path / "public.csv"
    path.write_text(TEXT)
    return path


def test_a_proposal_reads_back_as_a_schema_that_fits_its_file(public, tmp_path):
    text = propose_schema(public, "bought")
    schema_file = tmp_path / "schema.toml"
    schema_file.write_text(text)
    schema = read_schema(schema_file)
    assert schema.classes == ("0", "1")
    age, rooms, colour, place = schema.features
    assert isinstance(age, Numeric)
    assert (age.lower, age.upper) == (20.0, 39.67)
    assert rooms == Categorical("rooms", ("0", "1", "2", "3"))
    assert colour == Categorical("colour", ("blue", "red"))
    assert place == Categorical("ward", ("x", "y", "?"), "?")
    for numeric in ("gaussian", "histogram"):
        data = load_file(public, schema_file, numeric=numeric)
        assert len(data.train) + len(data.test) == 60


def test_a_proposal_says_that_bounds_must_be_public_and_what_it_left_out(public):
    text = propose_schema(public, "bought")
    assert "PUBLIC" in text
    assert "# 'country' left out" in text


@pytest.mark.parametrize(
    ("label", "reason"), [("sold", "missing column 'sold'"), ("country", "at least two")]
)
def test_a_label_that_cannot_be_one_is_one_clear_line(label, reason, public, capsys):
    assert main(["schema", "propose", str(public), "--label", label]) == MISTAKE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert reason in printed


def test_the_command_prints_the_proposal(public, capsys):
    assert main(["schema", "propose", str(public), "--label", "bought"]) == 0
    assert capsys.readouterr().out == propose_schema(public, "bought")


CELLS = st.sampled_from(
    [
        *("", " ", "NA", "NaN", "nan", "None", "null", "?", "True", "False", "TRUE"),
        *("0", "1", "3.0", "01", "1.5", "-2e3", "1e308", "-1e308", "5e-324", "inf"),
        *("1,234", "3,5", "2020-01-02", "12%", "x", " y ", "é", "\u2028", ":+1:", '5"', "a,b", "two\nlines"),
        *("\x7f", "x" * 120),
    ]
)
COLUMNS = (
    st.lists(CELLS, min_size=12, max_size=12)
    | st.lists(CELLS, min_size=1, max_size=3).map(lambda some: (some * 12)[:12])
    | st.lists(st.floats(allow_nan=False).map(repr), min_size=12, max_size=12)
    | st.lists(st.integers(-50, 50).map(str), min_size=12, max_size=12)
    | st.just([str(row) for row in range(12)])
)
NAMES = st.sampled_from(["a", " b", "c d", "Unnamed: 0", "", 'q"', "\x7f", "ü"])


@settings(max_examples=300)
@given(
    columns=st.dictionaries(NAMES, COLUMNS, min_size=1, max_size=4),
    labels=st.lists(CELLS, min_size=12, max_size=12),
)
def test_what_is_proposed_is_accepted_on_the_same_file(tmp_path_factory, columns, labels):
    folder = tmp_path_factory.mktemp("proposed")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, "y"])
    writer.writerows(zip(*columns.values(), labels, strict=True))
    path, schema_file = folder / "data.csv", folder / "schema.toml"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    try:
        schema_file.write_text(propose_schema(path, "y"), encoding="utf-8", newline="")
    except ValueError:
        return  # nothing is proposed: a row has no label, or no column tells anything
    schema = read_schema(schema_file)
    rows = sum(any(cell.strip() for cell in row) for row in zip(*columns.values(), labels, strict=True))
    for way in (schema, schema.histogram()):
        assert len(read_records(path, way)[0]) == rows


@pytest.mark.parametrize(
    ("values", "remark"),
    [
        ([f'"1,{i:03}"' for i in range(40)], "'v' looks like numbers with separators of thousands"),
        ([f'"{i},5"' for i in range(40)], "'v' looks like numbers with decimal commas"),
        ([f"2020-01-{i:02}" for i in range(1, 31)], "'v' looks like dates"),
        ([f"{i} %" for i in range(40)], "'v' looks like numbers with a unit"),
        ([f"{i:05}" for i in range(40)], "'v' looks like codes with leading zeros"),
        ([*map(str, range(30)), "old"], "'v' holds numbers but for 1 texts, such as 'old' in row 32"),
        ([f"person {i}" for i in range(60)], "'v' left out: it has more than 50 different texts"),
        (["x"] * 30, "'v' left out: it has only the value 'x'"),
        ([" "] * 30, "'v' left out: it has no value"),
        ([*map(str, range(30))], "'v' left out: it counts the rows"),
    ],
)
def test_what_looks_like_something_else_is_remarked_on(values, remark, tmp_path):
    path = tmp_path / "public.csv"
    rows = "".join(f"{value},{'a' if i % 2 else 'b'},{i % 2}\n" for i, value in enumerate(values))
    path.write_text("v,w,y\n" + rows)
    text = propose_schema(path, "y")
    assert f"# {remark}" in text
    if "left out" in remark:
        assert "person 7" not in text
    else:
        assert 'name = "v"' in text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,y\n1,no\n2,\n", "row 3, column 'y': has no label"),
        (
            "a,y\n1,no\n1,yes\n",
            "no column is left to predict 'y' from: 'a' left out: it has only the value '1'",
        ),
        ("a,y\n" + "".join(f"{i % 3},class {i}\n" for i in range(60)), "more than 50 different values"),
        ("a,y\n", "has a header and no rows"),
    ],
)
def test_a_file_without_a_schema_is_one_clear_line(text, reason, tmp_path, capsys):
    path = tmp_path / "public.csv"
    path.write_text(text)
    assert main(["schema", "propose", str(path), "--label", "y"]) == MISTAKE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert reason in printed
