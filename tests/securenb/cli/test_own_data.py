"""Own data on every command alike, and predictions out again."""

import csv
import io
import json
import os
import subprocess
import sys

import pandas as pd
import pytest

from attacks.sweeps.breakdown import KINDS
from attacks.sweeps.poisoning_grid import AttackGrid
from securenb.bayes.model import NaiveBayes
from securenb.cli.main import MISTAKE, main
from securenb.experiments.tables import read_table

SCHEMA = """
label = "y"
classes = ["no", "yes"]
[[features]]
kind = "categorical"
name = "zip"
levels = ["01", "1", "A"]
[[features]]
kind = "numeric"
name = "age"
lower = 0
upper = 100
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"s{i % 4},{('01', '1')[i % 2]},{(i * 7) % 50 + 25 * (i % 2)},{('no', 'yes')[i % 2]}\n"
        for i in range(240)
    ]
    (tmp_path / "data.csv").write_text("site,zip,age,y\n" + "".join(rows))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return ["data.csv", "--schema", "schema.toml", "--node-column", "site"]


ATTACK = [
    "--attacks",
    "label_flip",
    "--rules",
    "sum,median",
    "--malicious",
    "0.3",
    "--trials",
    "2",
    "--jobs",
    "1",
]
COMMANDS = {
    "train": ["--protocol", "masking", "--epsilon", "1"],
    "compare": ["--protocols", "plain,masking", "--epsilon", "1"],
    "attack": [*ATTACK, "--epsilon", "none", "--group-size", "1,all"],
    "audit": ["--protocol", "masking", "--epsilon", "1", "--level", "file,L0"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_file_alike(command, own, tmp_path):
    assert main([command, *own, *COMMANDS[command], "--out", "run"]) == 0
    scenario = json.loads((tmp_path / "run" / "manifest.json").read_text())["scenario"]
    assert scenario["schema_file"] == "schema.toml"
    assert main(["report", "run"]) == 0


@pytest.mark.parametrize("table", ["attack", "round"])
def test_a_sweep_takes_a_file(table, own, tmp_path):
    own_keys = 'dataset = "data.csv"\nschema_file = "schema.toml"\nnode_column = "site"\n'
    choices = {
        "attack": 'rules = "sum"\nattacks = "label_flip"\nmalicious = 0.3\ntrials = 1\nepsilon = "none"\n',
        "round": 'protocol = "masking"\nepsilon = ["1", "none"]\n',
    }
    (tmp_path / "sweep.toml").write_text(f"[{table}]\n{own_keys}{choices[table]}")
    assert main(["run", "sweep.toml", "--out", "run", "--jobs", "1"]) == 0
    results = pd.read_csv(tmp_path / "run" / "results.csv", dtype=str, keep_default_na=False)
    assert set(results["dataset"]) == {"data.csv"}


BAD = {
    "s1,B,3,no": "row 242, column 'zip': 'B' is not in the schema",
    "s1,1,old,no": "row 242, column 'age': 'old' is not in the schema (no number)",
    "s1,1,,no": "row 242, column 'age': '' is not in the schema (missing",
    ",1,3,no": "row 242, column 'site': names no node",
    's1,"1,3,no': "row 242, column 'zip': opens a quotation",
    "s1,1,3": "row 242: has 3 fields",
}


@pytest.mark.parametrize(
    ("command", "line"),
    [*(("train", line) for line in BAD), *((command, "s1,B,3,no") for command in COMMANDS)],
)
def test_a_bad_line_is_one_clear_line_and_nothing_is_written(command, line, own, tmp_path, capsys):
    with (tmp_path / "data.csv").open("a") as file:
        file.write(line + "\n")
    assert main([command, *own, *COMMANDS[command], "--out", "run"]) == MISTAKE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert BAD[line] in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "schema.toml"]


def test_no_choice_is_an_empty_cell_in_any_table(own, tmp_path):
    """Pivots drop rows whose key is empty."""
    assert main(["attack", *own, *COMMANDS["attack"], "--out", "run"]) == 0
    for name in ("results", "summary"):
        table = pd.read_csv(tmp_path / "run" / f"{name}.csv")
        assert set(table["group_size"]) == {"1", "all"}
        assert set(table["label_skew"]) == {"none"}
        choices = [column for column in table if column in AttackGrid.model_fields]
        assert {"group_size", "label_skew", "cap_ratio"} < set(choices)
        assert table.groupby(choices).size().sum() == len(table)
        again = read_table(tmp_path / "run" / f"{name}.csv")
        assert set(again["group_size"].dropna()) == {1.0}
        assert again["label_skew"].isna().all()


def test_a_sweep_of_rounds_has_the_same_words_for_nothing(tmp_path):
    choices = 'protocol = "plain"\nepsilon = "1"\ndataset = "phishing"\nnodes = 4\n'
    words = 'group_size = ["all", 1]\nlabel_skew = ["none", 0.5]\n'
    (tmp_path / "sweep.toml").write_text(f"[round]\n{choices}{words}")
    assert main(["run", str(tmp_path / "sweep.toml"), "--out", str(tmp_path / "run"), "--jobs", "1"]) == 0
    table = pd.read_csv(tmp_path / "run" / "results.csv")
    assert len(table.groupby(["group_size", "label_skew"])) == 4


@pytest.mark.parametrize("named", [True, False])
def test_where_rules_break_is_found_on_a_file(named, own, tmp_path, capsys):
    attack = ["--attacks", "label_flip", "--rules", "sum", "--malicious", "0.3", "--trials", "1"]
    attack += ["--epsilon", "none", "--jobs", "1", "--breakdown", "--out", "run"]
    assert main(["attack", *own, *attack]) == MISTAKE
    assert "4 nodes are too few" in capsys.readouterr().err
    header, *rows = (tmp_path / "data.csv").read_text().splitlines(keepends=True)
    rows = [f"h{at % 12}{row[2:]}" for at, row in enumerate(rows)]
    (tmp_path / "data.csv").write_text(header + "".join(rows))
    where = own if named else [*own[:3], "--nodes", "12"]
    assert main(["attack", *where, *attack]) == 0
    found = pd.read_csv(tmp_path / "run" / "breakdown.csv")
    assert set(found["dataset"]) == {"data.csv"}
    assert set(found["nodes"]) == {12}
    capped = {kind.name for kind in KINDS if "cap_ratio" in kind.choices}
    assert set(found["kind"]) == {kind.name for kind in KINDS} - (capped if named else set())
    assert ("kinds with a cap are left out" in capsys.readouterr().out) == named


def test_a_file_that_can_be_read_once_is_no_ground_for_a_sweep(own, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    for once in ("pipe", "-"):
        assert (
            main(["attack", once, *own[1:3], *COMMANDS["attack"], "--nodes", "4", "--out", "run"]) == MISTAKE
        )
        assert "can be read once" in capsys.readouterr().err


def test_what_a_table_of_a_file_does_not_take_is_refused_with_what_it_takes(own, tmp_path, capsys):
    (tmp_path / "runs.toml").write_text(
        '[deviation]\ndataset = "data.csv"\nprotocol = "all"\ndeviation = "all"\n'
    )
    assert main(["run", "runs.toml", "--out", "run"]) == MISTAKE
    assert "unknown dataset; [deviation] takes protocol, deviation, nodes, trials" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [("--numeric", "histogram"), ("--label-skew", "1"), ("--sizes", "uniform")]
)
def test_what_a_search_for_breakdowns_does_not_heed_is_refused(own, option, capsys):
    asked = ["attack", *own, *COMMANDS["attack"], *option, "--breakdown", "--out", "run"]
    assert main(asked) == MISTAKE
    assert f"--breakdown knows no {option[0]}" in capsys.readouterr().err


@pytest.fixture
def trained(own, capsys):
    assert main(["train", *own, *COMMANDS["train"], "--out", "run"]) == 0
    capsys.readouterr()
    return NaiveBayes.load


def test_predictions_are_those_of_the_model_with_the_rows_of_the_file(trained, tmp_path, capsys):
    model = trained(tmp_path / "run" / "model.json")
    (tmp_path / "new.csv").write_text("age,zip\n80,1\n\n3,01\n,A\n")
    assert main(["predict", "run", "new.csv", "--probabilities"]) == 0
    found = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert found[0] == ["row", "y", "p(no)", "p(yes)"]
    assert [line[0] for line in found[1:]] == ["2", "4", "5"]
    frame = pd.DataFrame({"age": [80, 3, None], "zip": ["1", "01", "A"]})
    assert [line[1] for line in found[1:]] == model.predict(frame).tolist()
    assert [list(map(float, line[2:])) for line in found[1:]] == model.predict_proba(frame).tolist()
    assert main(["predict", "run/model.json", "new.csv", "--out", "found.csv"]) == 0
    assert (tmp_path / "found.csv").read_text().splitlines()[0] == "row,y"


def test_a_prediction_for_what_the_schema_does_not_have_is_refused_unless_asked_for(
    trained, tmp_path, capsys
):
    (tmp_path / "new.csv").write_text("age,zip\n80,1\n3,B\n")
    assert main(["predict", "run", "new.csv", "--out", "found.csv"]) == MISTAKE
    printed = capsys.readouterr()
    assert "row 3, column 'zip': 'B' is not in the schema" in printed.err
    assert not printed.out
    assert not list(tmp_path.glob("*found*"))
    frame, model = pd.DataFrame({"age": [80, 3], "zip": ["1", "B"]}), trained(tmp_path / "run" / "model.json")
    with pytest.raises(ValueError, match="row 2, column 'zip': 'B' is not in the schema"):
        model.predict(frame)  # rows of a table have no header
    assert main(["predict", "run", "new.csv", "--ignore-unknown"]) == 0
    found = [line.split(",")[1] for line in capsys.readouterr().out.splitlines()[1:]]
    assert found == model.predict(frame, ignore_unknown=True).tolist()


def test_a_model_is_what_it_was_when_it_was_saved(trained, tmp_path):
    model = trained(tmp_path / "run" / "model.json")
    model.save(tmp_path / "copy.json")
    assert NaiveBayes.load(tmp_path / "copy.json").to_dict() == model.to_dict()
    (tmp_path / "copy.json").write_text((tmp_path / "copy.json").read_text().replace("model 1", "model 9"))
    with pytest.raises(ValueError, match=r"copy\.json: not a model: expected format 'securenb model 1'"):
        NaiveBayes.load(tmp_path / "copy.json")
    with pytest.raises(ValueError, match=r"gone\.json: No such file"):
        NaiveBayes.load(tmp_path / "gone.json")


def test_an_audit_that_passes_ends_so_on_a_terminal_of_letters_and_digits(own):
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    asked = [sys.executable, "-m", "securenb", "audit", *own, "--protocol", "masking", "--epsilon", "1"]
    asked += ["--level", "L0"]
    done = subprocess.run(asked, env=ascii_only, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"PASS" in done.stdout
