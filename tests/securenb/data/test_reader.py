"""A user's own file: read whole or refused with row and column."""

import gzip
import io
import json

import numpy as np
import pytest

import securenb.data.csv_rows
from securenb.cli.main import MISTAKE, main
from securenb.data.csv_rows import csv_chunks
from securenb.data.dataset import load_dataset
from securenb.data.own import load_file
from securenb.data.partition import gather
from securenb.data.reader import read_codes, read_records
from securenb.schema.cell_bytes import Block, CellBytes
from securenb.schema.cells import NUMBER
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema
from securenb.schema.toml import read_schema, schema_from_dict, schema_to_dict

SCHEMA = Schema(
    ("no", "yes"), (Categorical("colour", ("red", "NA", "?"), "?"), Numeric("age", 0, 64)), label="bought"
)
TOML = """
label = "bought"
classes = ["no", "yes"]
[[features]]
kind = "categorical"
name = "colour"
levels = ["red", "NA", "?"]
missing = "?"
[[features]]
kind = "numeric"
name = "age"
lower = 0
upper = 64
"""
HEADER = "site,colour,age,bought,notes\n"
ROWS = "north,red,12,yes,\nsouth,NA,70,no,free text\nnorth,,3.4,no,\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_file_gives_its_records_and_their_nodes(write):
    records, names = read_records(write(HEADER + ROWS), SCHEMA, "site")
    assert records.codes.tolist() == [[0, 12], [1, 64], [2, 3]]
    assert records.labels.tolist() == [1, 0, 0]
    assert names.tolist() == ["north", "south", "north"]


def test_a_byte_order_mark_and_windows_line_ends_are_read(write):
    text = ("\ufeff" + HEADER + ROWS).replace("\n", "\r\n")
    assert len(read_records(write(text), SCHEMA)[0]) == 3


def test_a_packed_file_is_read_whatever_its_name(write):
    packed = gzip.compress((HEADER + ROWS).encode(), mtime=0)
    for name in ("data.csv.gz", "data.csv"):
        assert np.array_equal(
            read_records(write(packed, name), SCHEMA)[0].codes,
            read_records(write(HEADER + ROWS), SCHEMA)[0].codes,
        )


def test_chunks_make_no_difference(write, monkeypatch):
    path = write(HEADER + ROWS * 5)
    whole, names = read_records(path, SCHEMA, "site")
    monkeypatch.setattr(securenb.data.csv_rows, "BLOCK", 60)
    seen = []
    parts, part_names = read_records(path, SCHEMA, "site", seen.append)
    assert np.array_equal(whole.codes, parts.codes)
    assert np.array_equal(names, part_names)
    assert seen == [4, 8, 12, 15]


def odd_cells(rng, count):
    """Cells of every length, many alike, many that differ in one byte, more than the table has slots."""
    letters = list("01aé \x00\t\u2028\ufeff😀")
    short = ["".join(rng.choice(letters, int(rng.integers(12)))) for _ in range(count // 4)]
    long = [
        "x" * int(length) + str(end) for length, end in rng.integers([[20, 0]], [[60, 3]], (count // 4, 2))
    ]
    digits = [str(number)[: int(length)] for number, length in rng.integers(1, [10**11, 12], (count // 4, 2))]
    spelt = [
        f"{sign}{number}"
        for sign, number in zip(rng.choice(["", "-", "+", " ", "0"], count // 4), digits, strict=False)
    ]
    cells = [*short, *long, *digits, *spelt]
    return [cells[at] for at in rng.permutation(len(cells))]


def test_many_cells_at_once_mean_what_each_means_by_itself(write, monkeypatch):
    rng = np.random.default_rng(1)
    cells = odd_cells(rng, 12_000)
    names = sorted({cell.strip() for cell in cells} - {""})
    of = Schema(
        ("a", "b"),
        (Categorical("x", (*names, "?"), "?"), Numeric("m", -1e11, 1e11, 65_536, missing=0)),
        "y",
    )
    numbers = [cell if NUMBER.fullmatch(cell.strip()) else "" for cell in reversed(cells)]
    rows = zip(cells, numbers, rng.choice(["a", " b"], len(cells)), strict=True)
    path = write("x,m,y\n" + "".join(f"{x},{m},{y}\n" for x, m, y in rows))
    fast, fast_names = read_records(path, of, "y")
    monkeypatch.setattr(securenb.data.csv_rows, "_plain", lambda content, width: None)
    slow, slow_names = read_records(path, of, "y")
    assert np.array_equal(fast.codes, slow.codes)
    assert np.array_equal(fast.labels, slow.labels)
    assert fast_names.tolist() == slow_names.tolist()
    expected = [float(text) if text.strip() else 0.0 for text in numbers]
    grid = np.rint((np.clip(expected, -1e11, 1e11) + 1e11) / of.features[1].step)
    assert np.array_equal(slow.codes[:, 1], grid)


def odd_file(rng):
    """Few rows of two or three columns, quoted or not, most of them as RFC 4180 has them."""
    width, end = int(rng.integers(2, 4)), str(rng.choice(["\n", "\r\n"]))

    def cell():
        text = "".join(rng.choice(list('ab1é ,\n\r"\u2028\x00'), int(rng.integers(5))))
        if rng.random() < 0.6:
            return '"' + text.replace('"', '""') + '"'
        return "".join(letter for letter in text if letter not in ',\n\r"')

    rows = [[cell() for _ in range(width + (rng.random() < 0.02))] for _ in range(int(rng.integers(1, 8)))]
    content = end.join([",".join("hij"[:width]), *map(",".join, rows), ""]).encode()
    if rng.random() < 0.2:
        content = content.rstrip(b"\r\n")
    if rng.random() < 0.1:
        at = int(rng.integers(len(content)))
        content = content[:at] + [b'"', b"\xff", b",", b"\n", b"\r"][rng.integers(5)] + content[at + 1 :]
    return content


def test_quotations_are_opened_alike_many_at_once_and_row_by_row(monkeypatch):
    rng, split = np.random.default_rng(4), securenb.data.csv_rows._plain
    at_once = 0

    def counted(content, width):
        nonlocal at_once
        columns = split(content, width)
        at_once += columns is not None and b'"' in content
        return columns

    def read(content, way):
        monkeypatch.setattr(securenb.data.csv_rows, "_plain", way)
        rows = []
        try:
            for chunk in csv_chunks(io.BytesIO(content)):
                rows += zip(chunk.rows, *map(list, chunk.table.values()), strict=True)
        except ValueError as error:
            return str(error)
        return rows

    for _ in range(1_000):
        content = odd_file(rng)
        monkeypatch.setattr(securenb.data.csv_rows, "BLOCK", int(rng.choice([5, 1 << 18])))
        assert read(content, counted) == read(content, lambda content, width: None), content
    assert at_once > 500


def test_whole_numbers_are_read_to_the_last_digit():
    rng = np.random.default_rng(2)
    texts = [str(number) for number in rng.integers(10**8, size=2_000)] + [
        f"{number:0{width}}" for width in range(1, 9) for number in (0, 1, 9, 10**width - 1)
    ]
    almost = [
        "",
        "1 ",
        "/1",
        ":",
        "1:",
        "12345678",
        "123456789",
        "0/",
        "\xff9",
        "99999999",
        "1.",
        "-1",
        "\x00",
    ]
    content = ",".join([*texts, *almost]).encode("latin-1")
    ends = np.array([at for at, byte in enumerate(content) if byte == ord(",")] + [len(content)])
    cells = CellBytes(Block(content), np.concatenate([[0], ends[:-1] + 1]), ends)
    found, plain = cells.whole_numbers()
    expected = [len(text) <= 8 and text.isdecimal() and text.isascii() for text in [*texts, *almost]]
    assert plain.tolist() == expected
    assert found[plain].tolist() == [
        float(text) for text, is_one in zip([*texts, *almost], expected, strict=True) if is_one
    ]


def test_a_blank_line_of_one_column_is_blank_whatever_stands_beside_it(write):
    one = Schema(("a", "b"), (Numeric("m", 0, 64, missing=0),), "y")
    for other in ("3\n", '"3"\n'):
        chunks = [chunk for chunk, _ in read_codes(write(f"m\n1\n \n{other}"), one)]
        assert [row for chunk in chunks for row in chunk.rows] == [2, 4]


REFUSED = {
    "empty": ("", "is empty"),
    "no rows": (HEADER, "has a header and no rows"),
    "column twice": ("colour,colour,age,bought\nred,red,1,yes\n", "has column 'colour' twice"),
    "missing column": ("site,colour,bought\nnorth,red,yes\n", "missing column 'age'"),
    "missing columns": ("site,colour\nnorth,red\n", "missing columns 'age', 'bought'"),
    "unknown level": (HEADER + ROWS + "south,blue,1,yes,\n", "row 5, column 'colour': 'blue'"),
    "unknown class": (HEADER + "south,red,1,maybe,\n", "row 2, column 'bought': 'maybe'"),
    "no label": (HEADER + "south,red,1,,\n", "row 2, column 'bought': ''"),
    "not a number": (HEADER + ROWS + "south,red,old,yes,\n", "row 5, column 'age': 'old'"),
    "no number": (HEADER + ROWS + "south,red,,yes,\n", "row 5, column 'age': ''"),
    "no node": (HEADER + ROWS + " ,red,1,yes,\n", "row 5, column 'site': names no node"),
    "too many fields": (HEADER + ROWS + "north,red,1,yes,a,b,c\n", "row 5: has 7 fields, and the header 5"),
    "quotation": (
        HEADER + ROWS + 'north,"red,1,yes,\n',
        "row 5, column 'colour': opens a quotation that never ends",
    ),
    "semicolons": ("colour;age;bought\nred;1;yes\n", "'colour;age;bought': commas must separate fields"),
    "more fields than names": (
        "site,colour,age,bought\nn,red,1,yes,x\ns,red,2,no,y\n",
        "row 2: has 5 fields, and the header 4",
    ),
    "too few fields": (HEADER + ROWS + "north,red,1,yes\n", "row 5: has 4 fields, and the header 5"),
    "blank first row": ("\n" + HEADER + ROWS, "row 1 is blank"),
    "spaces in the first row": ("  \n" + HEADER + ROWS, "row 1 is blank"),
    "after blank rows": (HEADER + ROWS + "\n \nsouth,blue,1,yes,\n", "row 7, column 'colour': 'blue'"),
    "after a quoted line end": (
        HEADER + 's,red,1,yes,"one\ntwo\nthree"\n' + "south,blue,1,yes,\n",
        "row 3, column 'colour': 'blue'",
    ),
    "quotation mark in a cell": (
        HEADER + ROWS + 'north,red,1,yes,5" pipe\n',
        "row 5, column 'notes': has a quotation mark out of place",
    ),
    "quotation in the first column": (
        HEADER + '"north,red,1,yes,\n',
        "row 2, column 'site': opens a quotation that never ends",
    ),
    "quotation mark in the first column": (
        '[{"a":1}]\n',
        "row 1, column 1: has a quotation mark out of place",
    ),
    "UTF-16": ((HEADER + ROWS).encode("utf-16-le"), "row 1 has a NUL in it: this is no text in UTF-8"),
    "one long field": ("x" * 9_000 + "\n", "the header is one field, 'xxx"),
    "something after a quotation": (
        HEADER + 'north,"red"x,1,yes,\n',
        "row 2, column 'colour': has a quotation mark out of place",
    ),
    "carriage return in a cell": (
        HEADER + "n,red,1,yes,\rn,red,1,yes,\n",
        "row 2, column 'notes': has a carriage return",
    ),
    "endless cell": (HEADER + f"n,red,1,yes,{'x' * 200_000}\n", "row 2: a cell is longer than 131,072"),
    "huge value": (HEADER + f"n,{'x' * 9_000},1,yes,\n", "xxx…' is not in the schema"),
    "underscored number": (HEADER + "n,red,1_0,yes,\n", "row 2, column 'age': '1_0' is not in the schema"),
    "other scripts' digits": (HEADER + "n,red,\u0661,yes,\n", "row 2, column 'age': '\u0661'"),
    "not-a-number": (HEADER + "n,red,nan,yes,\n", "row 2, column 'age': 'nan'"),
    "infinity": (HEADER + "n,red,1e999,yes,\n", "row 2, column 'age': '1e999'"),
    "truth value": (HEADER + "n,red,True,yes,\n", "row 2, column 'age': 'True'"),
    "spreadsheet": (b"PK\x03\x04rest", "is a zip archive or a spreadsheet"),
    "cut off": (gzip.compress((HEADER + ROWS).encode(), mtime=0)[:-9], "is gzipped, and damaged"),
    "not utf-8": (
        HEADER.encode() + b"s,red,1,yes,\nn\xf6rd,red,1,yes,\n",
        "row 3, column 'site': is not UTF-8",
    ),
    "not utf-8 header": (b"colo\xfcr,age\nred,1\n", "row 1, column 1: is not UTF-8"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_does_not_fit_the_schema_is_refused_with_its_place(text, reason, write):
    with pytest.raises(ValueError, match=r"data\.csv: ") as refused:
        read_records(write(text), SCHEMA, "site")
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 500


def test_a_bad_value_in_a_later_chunk_has_the_row_of_the_file(write, monkeypatch):
    monkeypatch.setattr(securenb.data.csv_rows, "BLOCK", 20)
    with pytest.raises(ValueError, match="row 5, column 'colour': 'blue'"):
        read_records(write(HEADER + ROWS + "south,blue,1,yes,\n"), SCHEMA)


def test_bytes_that_are_no_text_in_a_later_chunk_have_the_row_of_the_file(write, monkeypatch):
    monkeypatch.setattr(securenb.data.csv_rows, "BLOCK", 1000)
    text = HEADER.encode() + b"north,red,1,yes,\n" * 50_000 + b"north,r\xe9d,1,yes,\n"
    with pytest.raises(ValueError, match="row 50002, column 'colour': is not UTF-8"):
        read_records(write(text), SCHEMA)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere\.csv: No such file"):
        read_records(tmp_path / "nowhere.csv", SCHEMA)


def test_a_schema_file_gives_the_schema(write):
    assert read_schema(write(TOML, "schema.toml")) == SCHEMA
    assert schema_from_dict(json.loads(json.dumps(schema_to_dict(SCHEMA)))) == SCHEMA


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("lower = 0", "lower = 99"), "lower < upper"),
        (("lower = 0\n", ""), "lower: Field required"),
        (('kind = "numeric"', 'kind = "number"'), "features.1"),
        (("upper = 64", "upper = 64\ncolor = 3"), "color"),
        (('label = "bought"', "label = [bought"), "schema.toml"),
        (('classes = ["no", "yes"]', 'classes = ["no"]'), "two classes"),
    ],
)
def test_a_wrong_schema_file_is_refused_with_the_place(change, reason, write):
    assert change[0] in TOML
    with pytest.raises(ValueError, match=r"schema\.toml: ") as refused:
        read_schema(write(TOML.replace(*change), "schema.toml"))
    assert reason in str(refused.value)


def test_nodes_are_gathered_by_name_and_hold_every_record(write):
    path = write(HEADER + ROWS * 20)
    data = load_file(path, write(TOML, "schema.toml"), node_column="site")
    nodes = gather(data.train, data.holders)
    assert [node.id for node in nodes] == ["north", "south"]
    assert sum(len(node.records) for node in nodes) == len(data.train)
    assert len(data.train) + len(data.test) == 60


def test_records_of_one_class_only_are_refused(write):
    path = write(HEADER + "north,red,1,yes,\n" * 30)
    with pytest.raises(ValueError, match="all records are of one class"):
        load_file(path, write(TOML, "schema.toml"))


def test_train_on_a_file_of_ones_own(write, capsys, tmp_path):
    path, schema = write(HEADER + ROWS * 20), write(TOML, "schema.toml")
    arguments = ["train", str(path), "--schema", str(schema), "--protocol", "masking", "--epsilon", "1"]
    assert main([*arguments, "--node-column", "site", "--out", str(tmp_path / "run")]) == 0
    assert " records at 2 nodes, masking" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        ([], "nodes is missing"),
        (["--nodes", "3", "--node-column", "site"], "says already who they are"),
        (["--node-column", "hospital"], "missing column 'hospital'"),
        (["--node-column", "site", "--label", "sold"], "missing column 'sold'"),
    ],
)
def test_contradictory_choices_about_a_file_are_one_clear_line(extra, reason, write, capsys):
    path, schema = write(HEADER + ROWS * 20), write(TOML, "schema.toml")
    arguments = ["train", str(path), "--schema", str(schema), "--protocol", "plain", "--epsilon", "1"]
    assert main([*arguments, *extra]) == MISTAKE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert reason in printed


def test_a_schema_goes_with_a_file_and_a_file_with_a_schema(capsys):
    arguments = ["--nodes", "3", "--protocol", "plain", "--epsilon", "1"]
    assert main(["train", "phishing", "--schema", "x.toml", *arguments]) == MISTAKE
    assert "'phishing' is none" in capsys.readouterr().err
    assert main(["train", "my.csv", *arguments]) == MISTAKE
    assert "my.csv needs a schema file" in capsys.readouterr().err


def test_the_shipped_schemas_survive_the_file_format():
    schema = load_dataset("breast_cancer").schema
    assert schema_from_dict(schema_to_dict(schema)) == schema
