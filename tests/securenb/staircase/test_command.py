"""Staircase sums at the command line: train, certify, attack."""

import json

import pytest

from securenb.cli.main import MISTAKE, main

TRAIN = ["train", "phishing", "--nodes", "12", "--protocol", "verified", "--epsilon", "8", "--seed", "7"]
RULE = ["--rule", "staircase(quota=40)"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    out = tmp_path_factory.mktemp("staircase") / "run"
    assert main([*TRAIN, *RULE, "--out", str(out)]) == 0
    return out


def test_a_trained_model_is_certified_after_the_fact(trained, capsys, tmp_path):
    assert main(["certify", str(trained), "--malicious", "4", "--out", str(tmp_path / "c"), "--report"]) == 0
    printed = capsys.readouterr().out
    assert "votes of 12 nodes in one sum" in printed
    assert "after the fact" in printed
    assert main(["certify", str(trained), "--malicious", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    scores = [line["certified_balanced_accuracy"] for line in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.8 > scores[4]
    assert "What accuracy is certain" in (tmp_path / "c" / "report.html").read_text()


def test_a_cap_is_refused_where_quotas_bind(trained, capsys):
    assert main(["certify", str(trained), "--malicious", "1", "--record-cap", "9"]) == MISTAKE
    assert "bound by its quotas" in capsys.readouterr().err


def test_attacks_meet_the_rule_beside_others(capsys, tmp_path):
    words = (
        "attack phishing --nodes 12 --attacks label_flip --malicious 0,0.25 --epsilon 8 --inputs verified "
        "--cap-ratio 2 --trials 1 --jobs 1 --backend sequential --seed 1 --json --rules"
    )
    assert main([*words.split(), "sum,staircase(quota=40)", "--out", str(tmp_path / "a")]) == 0
    lines = (tmp_path / "a" / "results.csv").read_text().splitlines()
    assert any("staircase" in line and "label_flip" in line for line in lines)


def test_without_a_quota_it_says_what_is_missing(capsys, tmp_path):
    assert main([*TRAIN, "--rule", "staircase", "--out", str(tmp_path / "x")]) == MISTAKE
    assert "needs a public quota" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
