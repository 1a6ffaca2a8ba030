"""`securenb audit` as a user runs it: verdicts, exit codes, files, and what it refuses."""

import json
import re

import pytest

from securenb.cli.main import MISTAKE, main

AUDIT = ["audit", "phishing", "--nodes", "12", "--trials", "30000", "--epsilon", "1"]


@pytest.mark.parametrize("view", ["node", "group", "sum", "model"])
def test_a_sound_round_passes_with_exit_code_zero(capsys, view):
    assert main([*AUDIT, "--view", view]) == 0
    printed = capsys.readouterr()
    assert "PASS: no violation found; lower bound" in printed.out
    assert "not covered:" in printed.out
    assert printed.err == ""


def test_too_few_runs_to_tell_are_inconclusive_with_exit_code_three(capsys):
    assert main([*AUDIT, "--level", "L2", "--trials", "500"]) == 3
    printed = capsys.readouterr().out
    assert "INCONCLUSIVE: could not settle L2 class count count and 9 more checks: lower bound" in printed
    assert re.search(r"twice as much would need [\d,]+ runs to show", printed)


def test_the_paper_fails_with_exit_code_one(capsys):
    assert (
        main(
            ["audit", "--target", "paper", "--epsilon", "1", "--level", "L0,L1", "--adjacency", "replace-one"]
        )
        == 1
    )
    printed = capsys.readouterr().out
    assert "FAIL: certainly not (1, 0)-DP under replace-one for the view node" in printed
    assert "witness" in printed


def test_a_scenario_file_says_what_is_audited(capsys, tmp_path):
    path = tmp_path / "round.toml"
    path.write_text('nodes = 9\nprotocol = "masking"\nepsilon = "2"\nmechanism = "skellam"\ndelta = 1e-6\n')
    assert main(["audit", "phishing", "--scenario", str(path), "--level", "L0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "PASS"
    assert 1.99 < found["claimed"] <= 2
    assert found["delta"] == 1e-6


def test_no_noise_fails(capsys):
    assert main([*AUDIT, "--epsilon", "none", "--level", "L0"]) == 1
    assert "gets no noise" in capsys.readouterr().out


def test_the_findings_are_written_with_a_page(tmp_path):
    out = tmp_path / "run"
    assert main([*AUDIT, "--level", "L0,L1", "--out", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {
        "audit.json",
        "manifest.json",
        "report.html",
        "results.csv",
    }
    assert "Nothing found speaks against it" in (out / "report.html").read_text()
    assert json.loads((out / "audit.json").read_text())["not_covered"][-1] == "level L3"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level", "L9"], "L0, L1, L2, L3, got L9"),
        (["--target", "somebody"], "`own` or `paper`, got 'somebody'"),
        (["--confidence", "2"], "confidence must be between 0 and 1, got 2.0"),
        (["--epsilon", "0"], "epsilon must be a positive number, got 0"),
        (["--colluding", "12"], "no honest share is guaranteed"),
        (["--scenario", "nowhere.toml"], "cannot read the scenario nowhere.toml"),
    ],
)
def test_mistakes_are_refused_in_one_line(capsys, options, message):
    assert main([*AUDIT, *options]) == MISTAKE
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("wrong", [["--adjacency", "other"], ["--view", "moon"], ["--numeric", "moon"]])
def test_unknown_words_are_refused(capsys, wrong):
    assert main([*AUDIT, *wrong]) == MISTAKE
    assert "moon" in (printed := capsys.readouterr().err) or "other" in printed


def test_a_verdict_may_be_overwritten(tmp_path):
    arguments = [*AUDIT, "--level", "L0", "--out", str(tmp_path / "run")]
    assert main(arguments) == 0
    assert main(arguments) == MISTAKE
    assert main([*arguments, "--overwrite"]) == 0


def test_a_data_set_that_is_not_here_can_be_audited_by_its_schema(monkeypatch):
    monkeypatch.setenv("SECURENB_DATA", "/nowhere")
    assert main(["audit", "adult", "--epsilon", "1", "--level", "L0,L1"]) == 0
