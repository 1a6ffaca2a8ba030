"""`securenb attack` and `securenb run`."""

import json
from pathlib import Path

import pandas as pd
import pytest

from attacks.deviation import DEVIATIONS
from attacks.inference import INFERENCES
from attacks.sweeps.breakdown import KINDS
from attacks.sweeps.poisoning_grid import several
from securenb.cli.commands.run import read
from securenb.cli.main import MISTAKE, main
from securenb.report.page import Report

SMALL = ["attack", "phishing", "--nodes", "12", "--rules", "sum,median", "--attacks", "scaled_flip,backdoor",
         "--trials", "2", "--jobs", "1", "--backend", "sequential", "--seed", "1"]  # fmt: skip


def test_attack_writes_results_and_a_manifest_and_a_rerun_is_identical(tmp_path, capsys):
    more = ["--malicious", "0:0.2:0.2", "--group-size", "1,3,all", "--epsilon", "none,2"]
    for name in ("one", "two"):
        assert main([*SMALL, *more, "--out", str(tmp_path / name)]) == 0
    printed = capsys.readouterr().out
    assert "scaled_flip" in printed
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {"results.csv", "summary.csv", "manifest.json"}
    for name in names - {"manifest.json"}:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["seed"] == 1


def test_run_reads_attacks_and_rounds_from_toml(tmp_path, capsys):
    file = tmp_path / "a.toml"
    file.write_text(
        '[attack]\ndataset = "phishing"\nnodes = 12\nrules = ["sum", "median"]\nattacks = ["zero"]\n'
        'malicious = [0, 0.25]\ntrials = 1\nepsilon = "none"\n'
    )
    arguments = ["--jobs", "1", "--backend", "sequential"]
    assert main(["run", str(file), "--out", str(tmp_path / "a"), *arguments]) == 0
    file.write_text(
        'trials = 2\nseed = 4\n[round]\ndataset = "phishing"\nnodes = 5\nepsilon = ["none", "1"]\n'
        'protocol = ["plain", "masking"]\n'
    )
    assert main(["run", str(file), "--out", str(tmp_path / "b"), *arguments, "--json"]) == 0
    out = capsys.readouterr().out
    assert len(json.loads(out[out.index("[\n") :])) == 8


SWEEPS = {
    "inference": (
        'trials = 3\n[inference]\ninference = "all"\nrecords = 40\ndataset = "phishing"\nnodes = 8\n'
        'protocol = ["plain", "masking"]\nepsilon = ["none", 1]\n'
    ),
    "deviation": '[deviation]\nprotocol = ["plain", "masking"]\ndeviation = "all"\n',
    "breakdown": '[breakdown]\ndataset = "phishing"\nnodes = 12\ntrials = 1\n',
}


@pytest.mark.parametrize("kind", SWEEPS)
def test_other_attacks_are_swept_alike_and_a_rerun_is_identical(tmp_path, capsys, kind):
    file = tmp_path / "sweep.toml"
    file.write_text(SWEEPS[kind])
    for name in ("one", "two"):
        more = ["--jobs", "1", "--backend", "sequential"]
        assert main(["run", str(file), "--out", str(tmp_path / name), *more]) == 0
    assert "summary.csv" in capsys.readouterr().out
    results = [pd.read_csv(tmp_path / name / "results.csv", keep_default_na=False) for name in ("one", "two")]
    for name in ("results.csv", "summary.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    table = results[0]
    if kind == "inference":
        assert len(table) == len(INFERENCES) * 2 * 2 * 3
        by = table.astype({"epsilon": str}).groupby(["protocol", "epsilon"])["gain"].mean()
        assert by["plain", "none"] > by["masking", "1"]
    elif kind == "deviation":
        assert set(table["deviation"]) <= set(DEVIATIONS)
        assert table["kept"].mean() > 0.5
        assert table["outcome"].nunique() > 2
    else:
        assert len(table) == len(KINDS)
        (spec,) = dict(Report.read(tmp_path / "one")._sections())["Where rules break"].charts.values()
        assert len(spec["layer"]) == 3


def test_the_sweeps_of_the_documentation_can_be_read():
    files = sorted((Path(__file__).parents[3] / "docs" / "resilience").glob("*.toml"))
    assert len(files) > 4
    page = (files[0].parent.parent / "resilience.md").read_text(encoding="utf-8")
    for file in files:
        assert read(file).cells()
        assert f"securenb run docs/resilience/{file.name}" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[attack]\ndataset = 'phishing'\nrules='sum'\nattacks='zero'\nepsilon='none'\nspeed=3\n",
            "unknown speed",
        ),
        ("[round]\ndataset='phishing'\nnodes=5\nepsilon=1\nprotocol='plain'\ncolour='red'\n", "colour"),
        (
            "x = 1\n[attack]\ndataset = 'phishing'\nrules='sum'\nattacks='zero'\nepsilon='none'\n",
            "unknown x",
        ),
        ("[attack]\ndataset = 'phishing'\n", "epsilon"),
        ("[attack\n", "a.toml"),
        ("[audit]\n", "one table, [attack], [round], [breakdown], [inference] or [deviation]"),
        ("[breakdown]\ndataset='phishing'\nspeed=3\n", "unknown speed"),
        ("[breakdown]\ndataset='fishing'\n", "unknown data set 'fishing'"),
        ("[deviation]\nprotocol='plain'\ndeviation='vanished'\n", "unknown deviation 'vanished'"),
        ("trials=2\n[deviation]\nprotocol='plain'\ndeviation='vanish'\n", "unknown trials"),
        (
            "[inference]\ninference='telepathy'\ndataset='phishing'\nnodes=5\nepsilon=1\nprotocol='plain'\n",
            "unknown inference 'telepathy'",
        ),
        (
            "[inference]\ninference='all'\ndataset='phishing'\nnodes=5\nepsilon=1\nprotocol='verified'\n",
            "aggregators add the noise of 'verified'",
        ),
        (
            "[inference]\ninference='all'\ndataset='phishing'\nnodes=5\nepsilon=1\nprotocol='plain'\nhue=1\n",
            "hue",
        ),
    ],
)
def test_a_sweep_with_a_mistake_in_it_is_one_line_and_exit_code_2(tmp_path, capsys, text, message):
    file = tmp_path / "a.toml"
    file.write_text(text)
    assert main(["run", str(file), "--out", str(tmp_path / "out")]) == MISTAKE
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_shares_are_a_list_or_a_range():
    assert several("malicious", "0,0.2") == ["0", "0.2"]
    steps = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
    assert several("malicious", "0:0.45:0.05") == steps
    for bad in ("0:1", "0:1:0", "a:b:c"):
        with pytest.raises(ValueError, match="first:last:step"):
            several("malicious", bad)


@pytest.mark.parametrize("rule", ["median", "sum"])
def test_train_says_how_much_each_row_matters_and_nothing_of_what_is_in_it(tmp_path, capsys, rule):
    out = tmp_path / "run"
    choices = ["--nodes", "6", "--protocol", "plain", "--epsilon", "5", "--group-size", "1", "--seed", "1"]
    assert main(["train", "phishing", *choices, "--rule", rule, "--out", str(out)]) == 0
    lines = (out / "influence.csv").read_text().splitlines()
    assert lines[0] == "row,members,mean_change,largest_change,changed,verdict"
    assert len(lines) == 7
    assert "indispensable" not in lines[1]
    assert "rows that stand out" in capsys.readouterr().out
