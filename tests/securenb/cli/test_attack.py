"""`securenb attack` and `securenb run`."""

import json

import pytest

from securenb.cli.commands.attack import shares
from securenb.cli.main import MISTAKE, main

SMALL = ["attack", "phishing", "--nodes", "12", "--rules", "sum,median", "--attacks", "scaled_flip,backdoor",
         "--trials", "2", "--jobs", "1", "--backend", "sequential", "--seed", "1"]  # fmt: skip


def test_attack_writes_results_pictures_and_a_manifest_and_a_rerun_is_identical(tmp_path, capsys):
    more = ["--malicious", "0:0.2:0.2", "--group-size", "1,3,all", "--epsilon", "none,2"]
    for name in ("one", "two"):
        assert main([*SMALL, *more, "--out", str(tmp_path / name)]) == 0
    printed = capsys.readouterr().out
    assert "scaled_flip" in printed
    names = {path.name for path in (tmp_path / "one").iterdir()}
    pictures = ("curves-phishing", "map-phishing", "dial-phishing")
    drawn = {f"{name}.{kind}" for name in pictures for kind in ("png", "svg")}
    assert names == {"results.csv", "summary.csv", "manifest.json"} | drawn
    for name in names - {"manifest.json"}:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["seed"] == 1


def test_run_reads_attacks_and_rounds_from_toml(tmp_path, capsys):
    file = tmp_path / "a.toml"
    file.write_text(
        '[attack]\ndataset = "phishing"\nnodes = 12\nrules = ["sum", "median"]\nattacks = ["zero"]\n'
        "malicious = [0, 0.25]\ntrials = 1\n"
    )
    arguments = ["--jobs", "1", "--backend", "sequential"]
    assert main(["run", str(file), "--out", str(tmp_path / "a"), *arguments]) == 0
    assert (tmp_path / "a" / "curves-phishing.png").exists()
    file.write_text(
        'trials = 2\nseed = 4\n[round]\ndataset = "phishing"\nnodes = 5\nepsilon = ["none", "1"]\n'
        'protocol = ["plain", "masking"]\n'
    )
    assert main(["run", str(file), "--out", str(tmp_path / "b"), *arguments, "--json"]) == 0
    out = capsys.readouterr().out
    assert len(json.loads(out[out.index("[\n") :])) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[attack]\ndataset = 'phishing'\nrules='sum'\nattacks='zero'\nmalicious=0\nspeed=3\n",
            "unknown speed",
        ),
        ("[round]\ndataset='phishing'\nnodes=5\nepsilon=1\nprotocol='plain'\ncolour='red'\n", "colour"),
        ("x = 1\n[attack]\ndataset = 'phishing'\nrules='sum'\nattacks='zero'\nmalicious=0\n", "unknown x"),
        ("[attack]\ndataset = 'phishing'\n", "rules"),
        ("[attack\n", "a.toml"),
        ("[audit]\n", "one table, [attack] or [round]"),
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
    assert shares("0,0.2") == [0, 0.2]
    assert shares("0:0.45:0.05") == [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
    for bad in ("", "a", "0:1", "0:1:0", "0:1:-1"):
        with pytest.raises(ValueError, match="--malicious is"):
            shares(bad)


def test_train_says_how_much_each_row_matters_and_nothing_of_what_is_in_it(tmp_path):
    out = tmp_path / "run"
    choices = [
        "--nodes",
        "6",
        "--protocol",
        "plain",
        "--epsilon",
        "5",
        "--group-size",
        "1",
        "--rule",
        "median",
    ]
    assert main(["train", "phishing", *choices, "--seed", "1", "--out", str(out)]) == 0
    lines = (out / "influence.csv").read_text().splitlines()
    assert lines[0] == "row,members,mean_change,largest_change,changed,verdict"
    assert len(lines) == 7
