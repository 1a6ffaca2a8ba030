"""A proposal is a schema file that says what it is."""

import pytest

from securenb.cli.main import MISTAKE, main
from securenb.data.own import load_csv
from securenb.schema.draft import propose_schema
from securenb.schema.feature import Categorical, Numeric
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
    assert len(load_csv(public, schema_file).train) == 54
    assert len(load_csv(public, schema_file, numeric="histogram").train) == 54


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
