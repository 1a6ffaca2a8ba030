"""Kinds of files that people have, each with its right answer, whatever the version of pandas."""

import gzip
import io
import os
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from securenb.cli.main import MISTAKE, main
from securenb.data.dataset import Dataset, load_dataset
from securenb.data.draft import propose_schema
from securenb.data.own import load_file
from securenb.data.reader import read_records
from securenb.experiments.scenario import Scenario
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics
from securenb.schema.toml import read_schema

SEEDS = range(10)
"""Ten generated files of each kind."""


def schema(*features, classes=("no", "yes")):
    return Schema(classes, features, "y")


@pytest.fixture
def trained(tmp_path, capsys):
    """Runs `train` on a text; its exit code, and what it printed."""

    def trained(text, toml, *options):
        path, schema_file = tmp_path / "data.csv", tmp_path / "schema.toml"
        path.write_text(text, encoding="utf-8", newline="")
        schema_file.write_text(toml)
        dealt = () if "--node-column" in options else ("--nodes", "2")
        own = ("train", str(path), "--schema", str(schema_file))
        code = main([*own, "--protocol", "masking", "--epsilon", "none", *dealt, *options])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return trained


def file_of(columns):
    return "".join(",".join(row) + "\n" for row in [list(columns), *zip(*columns.values(), strict=True)])


@pytest.mark.parametrize("seed", SEEDS)
def test_levels_that_are_equal_as_numbers_are_different_levels(seed, tmp_path):
    rng = np.random.default_rng(seed)
    levels = [("01", "1"), ("0.50", ".5"), ("1.00", "1.0"), ("007", "7"), ("1e3", "1000")][seed % 5]
    drawn = rng.integers(2, size=200)
    path = tmp_path / "data.csv"
    path.write_text(file_of({"zip": [levels[at] for at in drawn], "y": ["no", "yes"] * 100}))
    records, _ = read_records(path, schema(Categorical("zip", (*levels, "A"))))
    assert np.array_equal(records.codes[:, 0], drawn)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_added_line_moves_the_statistics_by_one_record(seed, tmp_path):
    """With a reader that types columns by their content it moved them by 202: 1 and 01 were one level."""
    rng = np.random.default_rng(seed)
    of = schema(Categorical("zip", ("01", "1", "A")))
    rows = [f"{('01', '1')[at]},{('no', 'yes')[at]}\n" for at in rng.integers(2, size=200)]
    path, found = tmp_path / "data.csv", []
    for lines in (rows, [*rows, "A,no\n"]):
        path.write_text("zip,y\n" + "".join(lines))
        found.append(Statistics.of(of, read_records(path, of)[0]).vector())
    assert np.abs(found[1] - found[0]).sum() == 2


def test_letters_after_many_rows_do_not_change_the_rows_before(tmp_path):
    of = schema(Categorical("zip", ("01", "1", "A")))
    path = tmp_path / "data.csv"
    path.write_text("zip,y\n" + "01,no\n1,yes\n" * 130_000 + "A,no\n")
    records, _ = read_records(path, of)
    assert np.bincount(records.codes[:, 0]).tolist() == [130_000, 130_000, 1]


def test_leading_zeros_are_learned_from(trained):
    toml = 'label="y"\nclasses=["no","yes"]\n[[features]]\nkind="categorical"\n'
    toml += 'name="zip"\nlevels=["01","1","2"]\n'
    code, printed = trained("zip,y\n" + "1,no\n01,yes\n" * 60, toml)
    assert code == 0
    assert "accuracy            1.0000" in printed


AGE = 'label="y"\nclasses=["no","yes"]\n[[features]]\nkind="numeric"\nname="age"\nlower=0\nupper=100\n'


@pytest.mark.parametrize(
    "names", [("1", "2", "3"), ("01", "1", "1.0"), ("TRUE", "True", "true"), ("NA", "nan", "?")]
)
def test_sites_are_named_as_they_are_written(names, trained):
    rows = "".join(f"{names[i % 3]},{30 + i % 40},{'no' if i % 40 < 20 else 'yes'}\n" for i in range(240))
    code, printed = trained("site,age,y\n" + rows, AGE, "--node-column", "site")
    assert code == 0
    assert "at 3 nodes" in printed


@pytest.mark.parametrize(
    "words", [("TRUE", "FALSE"), ("True", "False"), ("t", "f"), ("0.0", "1.0"), ("3.0", "4.0")]
)
@pytest.mark.parametrize("as_label", [False, True])
def test_truth_values_and_floats_are_levels_as_written_and_so_proposed(words, as_label, tmp_path, trained):
    drawn = [words[i % 2] for i in range(120)]
    columns = {"v": [str(i % 30) for i in range(120)], "y": drawn}
    if not as_label:
        columns = {"v": drawn, "w": columns["v"], "y": [("a", "b")[i % 2] for i in range(120)]}
    path = tmp_path / "public.csv"
    path.write_text(file_of(columns))
    proposed = propose_schema(path, "y")
    code, printed = trained(file_of(columns), proposed)
    assert code == 0, printed
    (tmp_path / "proposed.toml").write_text(proposed)
    of = read_schema(tmp_path / "proposed.toml")
    assert set(words) == set(of.classes if as_label else of.features[0].levels)


def test_spaces_in_the_header_do_not_matter(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age, ward, y\n" + "21, icu, no\n22, ward, yes\n" * 20)
    (tmp_path / "schema.toml").write_text(propose_schema(path, "y"))
    of = read_schema(tmp_path / "schema.toml")
    assert [feature.name for feature in of.features] == ["age", "ward"]
    assert len(read_records(path, of)[0]) == 40


def test_only_an_empty_cell_is_missing_unless_the_schema_says_so(trained):
    toml = AGE.replace("upper=100", "upper=100\nmissing=50")
    text = "age,y\n" + "40,no\nNA,yes\n60,yes\n,no\n" * 20
    code, printed = trained(text, toml)
    assert (code, printed.count("\n")) == (MISTAKE, 1)
    assert "row 3, column 'age': 'NA' is not in the schema (no number)" in printed
    code, printed = trained(text, 'missing = ["NA"]\n' + toml)
    assert code == 0, printed


def test_a_hold_out_that_takes_a_class_or_a_node_says_so(trained):
    refused = set()
    for only in range(20):
        rows = "".join(f"{i},no\n" for i in range(30))
        code, printed = trained(f"age,y\n{rows}{only * 3},yes\n", AGE)
        if code:
            assert "hold-out of 1 in 10 took every record of class 'yes'; give records" in printed
            refused.add("class")
        rows = "".join(f"north,{i},{'no' if i % 2 else 'yes'}\n" for i in range(60))
        text = f"site,age,y\n{rows}south,{only * 3},yes\n"
        code, printed = trained(text, AGE, "--node-column", "site")
        if code:
            assert "hold-out of 1 in 10 took every record of node 'south'; give records" in printed
            refused.add("node")
        else:
            assert "at 2 nodes" in printed
    assert refused == {"class", "node"}


def test_few_rows_have_an_accuracy_or_none_is_claimed(trained, tmp_path):
    text = "age,y\n1,no\n2,yes\n3,no\n4,yes\n5,no\n"
    (tmp_path / "test.csv").write_text(text)
    code, printed = trained(text, AGE, "--test", str(tmp_path / "test.csv"))
    assert code == 0
    code, without = trained(text, AGE)
    assert code == MISTAKE
    assert "of its 5 records none was held out" in without
    assert "nan" not in printed + without


@pytest.mark.parametrize("name", ["DATA.CSV", "data.txt", "data.csv.gz", "data", "folder/data"])
def test_files_are_told_from_data_sets_whatever_their_ending(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    text = ("age,y\n" + "".join(f"{i % 50},{'no' if i % 50 < 25 else 'yes'}\n" for i in range(300))).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    (tmp_path / "schema.toml").write_text(AGE)
    assert (
        main(
            [
                "train",
                name,
                "--schema",
                "schema.toml",
                "--nodes",
                "3",
                "--protocol",
                "plain",
                "--epsilon",
                "1",
            ]
        )
        == 0
    )
    assert " records at 3 nodes" in capsys.readouterr().out


ROWS = ("age,y\n" + "".join(f"{i % 50},{'no' if i % 50 < 25 else 'yes'}\n" for i in range(300))).encode()
TRAIN = ["--nodes", "3", "--protocol", "plain", "--epsilon", "1", "--seed", "1"]


def test_a_pipe_and_standard_input_are_read_once_and_alike(tmp_path, capsys, monkeypatch):
    (tmp_path / "schema.toml").write_text(AGE)
    (tmp_path / "data.csv").write_bytes(ROWS)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(ROWS,))
    writer.start()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(ROWS))))
    printed = []
    for source in (tmp_path / "data.csv", pipe, "-"):
        assert main(["train", str(source), "--schema", str(tmp_path / "schema.toml"), *TRAIN]) == 0
        printed.append(capsys.readouterr().out.splitlines()[1:5])
    writer.join()
    assert printed[0] == printed[1] == printed[2]


FRAME = pd.DataFrame(
    {
        "ward": pd.array(["icu", None, " icu ", "NA"] * 50, dtype="string"),
        "grade": pd.array([1, None, 3, 2] * 50, dtype="Int64"),
        "flag": [True, False] * 100,
        "age": np.arange(200, dtype="float32") / 10,
        "y": pd.Categorical(["no", "yes"] * 100),
    }
)
OF_FRAME = schema(
    Categorical("ward", ("icu", "NA", "?"), "?"),
    Categorical("grade", ("1", "2", "3", "?"), "?"),
    Categorical("flag", ("True", "False")),
    Numeric("age", 0, 20),
)


def test_csv_gzip_parquet_and_a_table_give_the_same_records(tmp_path):
    text = FRAME.to_csv(index=False).encode()
    (tmp_path / "data.csv").write_bytes(text)
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(text))
    sources = [FRAME, tmp_path / "data.csv", tmp_path / "data.csv.gz"]
    if find_spec("pyarrow"):
        FRAME.to_parquet(tmp_path / "data.parquet")
        sources.append(tmp_path / "data.parquet")
    expected = OF_FRAME.records(FRAME)
    for source in sources:
        records, _ = read_records(source, OF_FRAME)
        assert np.array_equal(records.codes, expected.codes)
        assert np.array_equal(records.labels, expected.labels)


def test_a_bad_cell_of_a_table_has_the_row_of_the_file_that_would_be_written():
    frame = FRAME.assign(age=FRAME["age"].where(FRAME.index != 7))
    with pytest.raises(ValueError, match="the table: row 9, column 'age': '' is not in the schema"):
        read_records(frame, OF_FRAME)


@pytest.mark.skipif(not find_spec("pyarrow"), reason="needs pyarrow")
def test_a_damaged_parquet_file_is_one_clear_line(tmp_path):
    path = tmp_path / "data.parquet"
    FRAME.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-40] + b"x" * 40)
    with pytest.raises(ValueError, match=r"data\.parquet: is no Parquet file that can be read"):
        read_records(path, OF_FRAME)


@pytest.mark.skipif(not find_spec("pyarrow"), reason="needs pyarrow")
def test_no_flipped_bit_of_a_parquet_file_is_a_traceback(tmp_path):
    path = tmp_path / "data.parquet"
    FRAME[:20].to_parquet(path)
    content, rng, refused = path.read_bytes(), np.random.default_rng(3), 0
    for at in rng.integers(4, len(content), 150).tolist():
        path.write_bytes(content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :])
        try:
            read_records(path, OF_FRAME)
        except ValueError:
            refused += 1
    assert refused > 20


@pytest.mark.skipif(not find_spec("pyarrow"), reason="needs pyarrow")
def test_an_index_with_a_name_is_a_column_of_a_parquet_file_as_of_a_csv_file(tmp_path):
    FRAME.set_index("ward").to_parquet(tmp_path / "data.parquet")
    FRAME.set_index("ward").to_csv(tmp_path / "data.csv")
    packed, text = (read_records(tmp_path / f"data.{kind}", OF_FRAME)[0] for kind in ("parquet", "csv"))
    assert np.array_equal(packed.codes, text.codes)


@pytest.mark.parametrize("source", ["a table", "parquet"])
def test_a_table_without_columns_says_so(source, tmp_path):
    none: Path | pd.DataFrame = pd.DataFrame()
    if source == "parquet":
        pytest.importorskip("pyarrow")
        none.to_parquet(tmp_path / "data.parquet")
        none = tmp_path / "data.parquet"
    with pytest.raises(ValueError, match="has no columns"):
        read_records(none, OF_FRAME)


@pytest.mark.parametrize("wrong", [[[1, 2]], {"ward": ["icu"]}, FRAME["age"], "data.csv", None])
def test_what_is_no_table_and_no_schema_is_called_that(wrong):
    with pytest.raises(ValueError, match="frame must be a DataFrame, not a"):
        Dataset.from_frame(wrong, OF_FRAME)
    with pytest.raises(ValueError, match="schema must be a Schema, not a"):
        Dataset.from_frame(FRAME, wrong)
    if wrong is not None:
        with pytest.raises(ValueError, match="test must be a DataFrame, not a"):
            Dataset.from_frame(FRAME, OF_FRAME, test=wrong)


@pytest.mark.parametrize("source", ["frame", "csv", "phishing"])
def test_other_estimators_can_be_fitted_on_the_same_split(source, tmp_path):
    (tmp_path / "data.csv").write_text(FRAME.to_csv(index=False))
    (tmp_path / "schema.toml").write_text(AGE.replace("100", "20"))
    if source == "frame":
        data = Dataset.from_frame(FRAME, OF_FRAME, node="flag")
    elif source == "csv":
        data = load_file(tmp_path / "data.csv", tmp_path / "schema.toml")
    else:
        data = load_dataset(source)
    for part, records in (("train", data.train), ("test", data.test)):
        X, y = data.frame(part)
        assert list(X.columns) == [feature.name for feature in data.schema.features]
        assert np.array_equal(data.schema.encode(X), records.codes)
        assert list(y) == [data.schema.classes[label] for label in records.labels]


def test_a_scenario_does_not_ignore_a_number_of_nodes_that_the_records_contradict():
    data = Dataset.from_frame(FRAME, OF_FRAME, node="flag")
    for nodes in (2, 7):
        scenario = Scenario.checked(dataset=data, nodes=nodes, protocol="plain", epsilon="1")
        if nodes == 2:
            assert len(scenario.deal(data)) == 2
        else:
            with pytest.raises(ValueError, match="nodes 7: the records say already who holds them, 2 nodes"):
                scenario.deal(data)


def test_a_table_may_name_nodes_and_bring_its_own_test_records():
    data = Dataset.from_frame(FRAME, OF_FRAME, node="flag", test=FRAME.iloc[:7])
    assert (len(data.train), len(data.test)) == (200, 7)
    assert sorted(set(data.holders)) == ["False", "True"]


TINY = {
    "spellings of missing values": (
        "age,ward,y\n40,icu,yes\nNA,ward,no\n50,icu,no\n60,NA,yes\n70,N/A,no\n",
        {"age": ("40", "50", "60", "70", "?"), "ward": ("icu", "ward", "?")},
    ),
    "the index and the floats that pandas writes": (
        ",grade,age,y\n0,3.0,40,yes\n1,2.0,41,no\n2,1.0,50,no\n3,2.0,44,yes\n",
        {"grade": ("1.0", "2.0", "3.0"), "age": ("40", "41", "44", "50")},
    ),
}


@pytest.mark.parametrize("kind", TINY)
def test_what_is_proposed_of_a_tiny_file_is_trained_on_if_records_to_be_judged_on_are_given(
    kind, tmp_path, trained
):
    """One record in ten is held out, each by its own content, so that of a few there may be none."""
    text, levels = TINY[kind]
    path = tmp_path / "public.csv"
    path.write_text(text)
    proposed = propose_schema(path, "y")
    (tmp_path / "proposed.toml").write_text(proposed)
    of = read_schema(tmp_path / "proposed.toml")
    assert {feature.name: feature.levels for feature in of.features} == levels
    code, printed = trained(text, proposed, "--test", str(path))
    assert code == 0, printed
    code, printed = trained(text, proposed)
    assert code == MISTAKE
    assert "records none was held out, 1 in 10 is; give records to be judged on (--test FILE)" in printed


def test_a_float_that_pandas_writes_is_the_whole_number_of_a_schema_that_has_it(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("grade,y\n3.0,yes\n2.0,no\n1.0,no\n")
    records, _ = read_records(path, schema(Categorical("grade", ("1", "2", "3"))))
    assert records.codes[:, 0].tolist() == [2, 1, 0]


def test_a_spelling_of_missing_that_the_schema_does_not_list_is_refused_in_a_level_too(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("ward,y\nicu,yes\nNA,no\n")
    with pytest.raises(ValueError, match="row 3, column 'ward': 'NA' is not in the schema"):
        read_records(path, schema(Categorical("ward", ("icu", "ward", "?"), "?")))
