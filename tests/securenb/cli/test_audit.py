import json

import pytest

from securenb.cli.main import main

QUICK = ["--level", "L0,L1", "--pairs", "40"]


def test_an_honest_release_exits_with_0_and_leaves_its_verdict(tmp_path, capsys):
    assert main(["audit", "votes", *QUICK, "--out", str(tmp_path / "run")]) == 0
    assert "not covered" in capsys.readouterr().out
    document = json.loads((tmp_path / "run" / "audit.json").read_text())
    assert document["outcome"] == "PASS"
    assert [finding["layer"] for finding in document["findings"]] == ["L0 ledger", "L1 replay"]


def test_a_verdict_may_be_overwritten(tmp_path):
    arguments = ["audit", "votes", *QUICK, "--out", str(tmp_path / "run")]
    assert main(arguments) == 0
    assert main(arguments) == 2
    assert main([*arguments, "--overwrite"]) == 0


def test_the_paper_exits_with_1_and_witnesses(capsys):
    assert main(["audit", "adult", *QUICK, "--target", "paper", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert any("without noise" in line for f in document["findings"] for line in f["evidence"])


def test_what_cannot_be_told_exits_with_3(capsys):
    arguments = ["--mechanism", "skellam", "--delta", "1e-6", "--level", "L2"]
    assert main(["audit", "votes", *arguments]) == 3
    assert "INCONCLUSIVE" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong",
    [
        ["--epsilon", "0"],
        ["--adjacency", "other"],
        ["--level", "L7"],
        ["--view", "moon"],
        ["--target", "moon"],
        ["--numeric", "moon"],
        ["--colluding", "10"],
        ["--delta", "1e-6"],
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(wrong, capsys):
    assert main(["audit", "votes", *wrong]) == 2
    assert capsys.readouterr().err.count("\n") == 1
