"""Commands as a user runs them: what they print, what they leave, and how they refuse."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import attacks
from protocols.protocol import PROTOCOLS
from securenb.bayes.model import NaiveBayes
from securenb.cli.main import ABORTED, MISTAKE, main
from securenb.data.dataset import DATASETS

TRAIN = ["train", "phishing", "--nodes", "6", "--protocol", "masking", "--epsilon", "1"]


def test_list_names_everything_there_is(capsys):
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    for name in [*DATASETS, *PROTOCOLS, "discrete_laplace", "median"]:
        assert f"  {name} " in printed


@pytest.mark.parametrize("kind", ["poisons", "deviations", "inferences"])
def test_list_names_every_attack(kind, capsys):
    assert main(["list", kind, "--json"]) == 0
    folder = Path(attacks.__path__[0]) / kind
    files = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert files
    assert set(json.loads(capsys.readouterr().out)[kind]) == files


def test_list_prints_one_kind_as_json(capsys):
    assert main(["list", "protocols", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["protocols"]) == set(PROTOCOLS)


def test_train_prints_scores_privacy_and_cost_and_saves_a_model_that_predicts(capsys, tmp_path):
    assert main([*TRAIN, "--seed", "7", "--out", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr()
    assert "the aggregator learned one sum of 6" in printed.out
    assert "replace-one" in printed.out
    assert printed.err == ""
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "manifest.json",
        "model.json",
        "results.csv",
        "rounds.json",
    }
    model = NaiveBayes.from_dict(json.loads((tmp_path / "run" / "model.json").read_text()))
    assert model.schema == DATASETS["phishing"]().schema


def test_train_with_a_seed_is_reproducible_and_without_one_is_not(tmp_path):
    digests = []
    for name, seed in (("a", ["--seed", "7"]), ("b", ["--seed", "7"]), ("c", [])):
        assert main([*TRAIN, *seed, "--out", str(tmp_path / name)]) == 0
        digests.append(json.loads((tmp_path / name / "manifest.json").read_text())["files"]["model.json"])
    assert digests[0] == digests[1] != digests[2]


def test_compare_writes_table_and_manifest(capsys, tmp_path):
    arguments = ["compare", "phishing", "--nodes", "6", "--protocols", "plain,masking", "--epsilon", "1"]
    assert main([*arguments, "--seed", "7", "--out", str(tmp_path / "run")]) == 0
    printed = capsys.readouterr().out
    assert "all models are identical" in printed
    assert "6 nodes' vectors" in printed
    assert "one sum of 6" in printed
    table = pd.read_csv(tmp_path / "run" / "results.csv")
    assert list(table["protocol"]) == ["plain", "masking"]
    assert table["identical"].all()
    assert list(table["rounds"]) == [1, 3]
    assert list(table["turns"]) == [1, 2]


def test_compare_prints_json(capsys):
    arguments = ["compare", "phishing", "--nodes", "6", "--protocols", "plain", "--epsilon", "none", "--json"]
    assert main(arguments) == 0
    (line,) = json.loads(capsys.readouterr().out)
    assert line["learned"] == "6 nodes' vectors"
    assert line["trust"] == PROTOCOLS["plain"].claims.trust
    assert (line["rounds"], line["messages"], line["relative_error"]) == (1, 6, 0)


def test_train_under_verified_says_what_a_node_is_worth(capsys):
    verified = ["train", "phishing", "--nodes", "6", "--epsilon", "1", "--protocol", "verified"]
    assert main([*verified, "--record-cap", "200", "--seed", "7"]) == 0
    printed = capsys.readouterr().out
    assert "no node counts for more than 200 records" in printed
    assert "a dose in any 1 share" in printed


@pytest.mark.slow
def test_compare_runs_every_protocol_there_is_also_when_nodes_fall_silent(capsys, tmp_path):
    arguments = [
        "compare",
        "phishing",
        "--nodes",
        "12",
        "--protocols",
        "all",
        "--epsilon",
        "1",
        "--seed",
        "7",
    ]
    assert main([*arguments, "--drop", "0.1", "--out", str(tmp_path / "run")]) == 0
    table = pd.read_csv(tmp_path / "run" / "results.csv").set_index("protocol")
    assert set(table.index) == set(PROTOCOLS)
    done = table[table["failure"].isna()]
    assert {"plain", "paillier", "secagg", "oneshot"} <= set(done.index)
    assert done["identical"].all()
    assert "masks cannot cancel" in table.loc["masking", "failure"]
    assert (table["rounds"] > 0).all()
    assert (table["sent"] > 0).all()
    for name, line in table.iterrows():
        claims = PROTOCOLS[name].claims
        promised = [claims.trust, claims.dropouts, claims.malicious_aggregator, claims.source]
        assert list(line[["trust", "dropouts", "malicious_aggregator", "source"]]) == promised
    printed = capsys.readouterr().out
    assert "who must be trusted" in printed
    assert "masking opened nothing: no group could be opened" in printed


def test_the_tables_of_compare_fit_into_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    arguments = ["compare", "phishing", "--nodes", "12", "--epsilon", "1", "--seed", "7"]
    assert main([*arguments, "--protocols", "ideal,gossip,threshold_paillier"]) == 0
    printed = re.sub("\x1b[^m]*m", "", capsys.readouterr().out)
    tables = printed[: printed.index("each opened row")].split("rounds: ")[0]
    assert "…" not in tables
    assert max(map(len, tables.splitlines())) <= 80


MISTAKES = {
    "no such command": (["fit"], "No such command 'fit'"),
    "unknown data set": (["train", "mnist", *TRAIN[2:]], "unknown data set 'mnist'; known: accelerometer"),
    "unknown protocol": ([*TRAIN[:5], "magic", *TRAIN[6:]], "unknown protocol 'magic'; known: "),
    "unknown rule": ([*TRAIN, "--rule", "vote"], "unknown rule 'vote'"),
    "one node": ([*TRAIN[:3], "1", *TRAIN[4:]], "nodes: Input should be greater than or equal to 2, got 1"),
    "too many nodes": ([*TRAIN[:3], "1000", *TRAIN[4:]], "1000 nodes with at least 2 records each"),
    "epsilon zero": ([*TRAIN[:-1], "0"], "epsilon must be a positive number, got 0"),
    "epsilon negative": ([*TRAIN[:-1], "-1"], "epsilon must be a positive number, got -1"),
    "epsilon nan": ([*TRAIN[:-1], "nan"], "epsilon must be a positive number, got nan"),
    "epsilon missing": (
        TRAIN[:-2],
        "Missing option '--epsilon'. What one opened row costs a record (add/remove); `none` for no noise.",
    ),
    "threshold above nodes": ([*TRAIN, "--threshold", "7"], "threshold"),
    "group larger than all": ([*TRAIN, "--group-size", "7"], "group size must be between 1 and"),
    "group size in words": ([*TRAIN, "--group-size", "some"], "a number or `all`, got 'some'"),
    "skew zero": ([*TRAIN, "--label-skew", "0"], "label_skew"),
    "negative seed": ([*TRAIN, "--seed", "-1"], "seed"),
    "median of one row": ([*TRAIN, "--rule", "median"], "1 of 1 rows define it; it needs 3"),
    "protocol twice": (
        ["compare", "phishing", "--nodes", "6", "--epsilon", "1", "--protocols", "plain,plain"],
        "each once",
    ),
    "certify nothing": (["certify", "nowhere.json", "--malicious", "1"], "nowhere.json: No such file"),
    "certify what is no model": (["certify", "pyproject.toml", "--malicious", "1"], "pyproject.toml: "),
    "compare under a cap": (
        ["compare", *TRAIN[1:4], "--epsilon", "1", "--record-cap", "200", "--protocols", "plain,verified"],
        "leave out record_cap",
    ),
    "cap below a node": ([*TRAIN, "--record-cap", "10"], "the public cap is 10"),
    "unknown kind": (["list", "models"], "unknown kind 'models'"),
}


@pytest.mark.parametrize(("arguments", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_users_mistake_is_one_clear_line_exit_code_2_and_nothing_written(
    arguments, expected, capsys, tmp_path
):
    out = tmp_path / "run"
    assert (
        main([*arguments, *(["--out", str(out)] if arguments[0] in ("train", "compare", "certify") else [])])
        == MISTAKE
    )
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("securenb: ")
    assert printed.err.count("\n") == 1
    assert expected in printed.err
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_one_clear_line(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert main([*TRAIN, "--out", str(tmp_path / "file" / "run")]) == MISTAKE
    assert "cannot write to" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_data_file_with_a_missing_column_is_one_clear_line(capsys, tmp_path, monkeypatch):
    (tmp_path / "Mushroom").mkdir()
    (tmp_path / "Mushroom" / "agaricus-lepiota.data").write_text("p,x,s\n" * 8124)
    monkeypatch.setenv("SECURENB_DATA", str(tmp_path))
    assert main(["train", "mushroom", *TRAIN[2:], "--out", str(tmp_path / "run")]) == MISTAKE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "Mushroom" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["Mushroom"]


def test_an_aborted_run_says_that_nothing_was_released(capsys, monkeypatch):
    from protocols.errors import TooFewParties
    from securenb.federation.federation import Federation

    def fail(*_, **__):
        raise TooFewParties(["node-3"], "no group could be opened")

    monkeypatch.setattr(Federation, "open", fail)
    assert main(TRAIN) == ABORTED
    assert "nothing was released: no group could be opened (missing: node-3)" in capsys.readouterr().err


def test_a_budget_holds_across_runs_and_is_refused_with_what_remains(capsys, tmp_path):
    spend = [*TRAIN, "--ledger", str(tmp_path / "people.ledger"), "--budget", "2.5"]
    assert main(spend) == main(spend) == 0
    assert main(spend) == MISTAKE
    assert "epsilon 1 requested, 2 of 2.5 spent, 0.5 remaining" in capsys.readouterr().err


def test_a_budget_without_a_delta_refuses_noise_that_has_one_and_one_with_it_composes(capsys, tmp_path):
    spend = [*TRAIN, "--mechanism", "skellam", "--delta", "1e-6", "--ledger", str(tmp_path / "l")]
    assert main([*spend, "--budget", "3"]) == MISTAKE
    assert "costs epsilon only up to a delta, and the budget 3 has none" in capsys.readouterr().err
    for _ in range(2):
        assert main([*spend, "--budget", "3,1e-6"]) == 0
    capsys.readouterr()
    assert main(["ledger", str(tmp_path / "l"), "--budget", "3,1e-6", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [line["state"] for line in shown["lines"]] == ["committed"] * 2
    assert 1 < float(shown["spent"]) < 1.8 < float(shown["added"])
    assert float(shown["remaining"]) == pytest.approx(3 - float(shown["spent"]), abs=1e-5)
    assert main(["ledger", str(tmp_path / "l"), "--budget", "3"]) == 0
    assert "unbounded of 3" in capsys.readouterr().out


def test_a_ledger_that_is_not_there_is_no_empty_ledger(capsys, tmp_path):
    assert main(["ledger", str(tmp_path / "l"), "--budget", "3"]) == MISTAKE
    assert "there is no ledger" in capsys.readouterr().err
    assert not (tmp_path / "l").exists()


def test_whole_nodes_are_charged_for_all_their_records_at_once(capsys, tmp_path):
    spend = [*TRAIN, "--ledger", str(tmp_path / "l"), "--budget", "5000", "--unit", "node"]
    assert main(spend) == MISTAKE
    assert "--unit node needs --ledger, and --record-cap" in capsys.readouterr().err
    assert main([*spend, "--record-cap", "2000"]) == 0
    capsys.readouterr()
    assert main(["ledger", str(tmp_path / "l"), "--budget", "5000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spent"] == "2000"
    assert main([*TRAIN, "--ledger", str(tmp_path / "l"), "--budget", "5000"]) == MISTAKE
    assert "protects whole nodes of at most 2000 records" in capsys.readouterr().err


def test_a_ledger_without_a_budget_is_refused(capsys, tmp_path):
    assert main([*TRAIN, "--ledger", str(tmp_path / "l")]) == MISTAKE
    assert "--ledger and --budget go together" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mechanism", "skellam"], "skellam needs a delta"),
        (["--mechanism", "skellam", "--delta", "1"], "delta must be between 0 and 1, got 1.0"),
        (["--delta", "1e-6"], "discrete_laplace promises pure epsilon"),
        (["--epsilon", "0"], "epsilon must be a positive number, got 0"),
        (["--colluding", "6"], "6 collude: no honest share"),
    ],
)
def test_choices_that_promise_no_privacy_are_refused_in_one_line(capsys, options, message):
    assert main([*TRAIN, *options]) == MISTAKE
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_train_and_compare_say_what_an_aggregator_that_reads_vectors_learns(capsys):
    plain = ["phishing", "--nodes", "6", "--epsilon", "1", "--seed", "1"]
    assert main(["train", *plain, "--protocol", "plain"]) == 0
    assert "every node's vector is read" in capsys.readouterr().out
    assert main(["compare", *plain, "--protocols", "plain,masking"]) == 0
    printed = capsys.readouterr().out
    assert "under plain the aggregator reads every node's vector" in printed
    assert "under masking" not in printed


def test_scale_prints_slopes_and_writes_table_and_manifest(capsys, tmp_path):
    arguments = ["scale", "--protocol", "secagg(profile=semi-honest)", "--nodes", "5,10", "--length", "8"]
    assert main([*arguments, "--out", str(tmp_path / "run")]) == 0
    assert "grows as n^" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"manifest.json", "results.csv"}
    assert list(pd.read_csv(tmp_path / "run" / "results.csv")["nodes"]) == [5, 10]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--protocol", "plain(profile=malicious)"],
            "unknown parameter 'profile' in plain(profile=malicious): it has none",
        ),
        (["--protocol", "secagg(profile=honest)"], "must be semi-honest or malicious"),
        (["--nodes", "many"], "--nodes is numbers separated by commas, got 'many'"),
        (["--nodes", "2"], "smaller than 3, the smallest that SecAggPlus runs"),
    ],
)
def test_scale_refuses_in_one_line(capsys, options, message):
    assert main(["scale", *options]) == MISTAKE
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("asked", [["list"], ["deploy", "status"], ["schema", "propose"]])
def test_a_command_is_imported_without_the_others(asked):
    code = f"import sys; from securenb.cli.main import build; build({asked}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name for name in done.stdout.split() if name.startswith("securenb.cli.commands.")}
    path = ["securenb.cli.commands", *asked]
    wanted = {".".join(path[: length + 1]) for length in range(1, len(path))}
    assert {name.rstrip("_") for name in imported} == wanted
