"""`--witnesses` and `audit --live`: what is printed, kept, judged again, and refused in one line."""

import json

import pytest

from securenb.cli.main import MISTAKE, main
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace

TRAIN = ["train", "phishing", "--nodes", "5", "--protocol", "plain", "--epsilon", "1", "--seed", "3"]


@pytest.fixture
def run(tmp_path):
    """The folder of a round with cells."""
    assert main([*TRAIN, "--witnesses", "400", "--out", str(tmp_path / "run")]) == 0
    return tmp_path / "run"


def test_a_round_says_what_its_cells_show_and_keeps_them(tmp_path, capsys):
    run = tmp_path / "run"
    assert main([*TRAIN, "--witnesses", "400", "--out", str(run)]) == 0
    assert "witnesses: 400 cells that no record touches" in capsys.readouterr().out
    assert {"witnesses.json", "rounds.json"} <= {path.name for path in run.iterdir()}
    assert "as claimed" in (run / "results.csv").read_text()
    assert json.loads((run / "rounds.json").read_text())["plain"]["witnesses"]["found"] == "as claimed"
    assert main(["audit", "--live", str(run)]) == 0
    said = capsys.readouterr().out
    assert "nothing speaks against the claim" in said
    assert "Polya" in said
    assert main(["audit", "--live", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plain"]["cells"] == 400


def test_a_comparison_says_it_of_every_protocol(capsys):
    choices = ["--nodes", "5", "--epsilon", "1", "--seed", "3", "--witnesses", "100"]
    assert main(["compare", "phishing", "--protocols", "plain,masking", *choices]) == 0
    said = capsys.readouterr().out
    assert "plain: witnesses: 100 cells" in said
    assert "masking: witnesses: 100 cells" in said


@pytest.mark.parametrize("kept", [0, 3 / 4])
def test_a_round_whose_noise_is_not_there_breaks_the_claim(kept, tmp_path, capsys, monkeypatch):
    """The fault is in the product's own function, and the ledger says what it always says."""
    share = DiscreteLaplace.share

    def faulty(self, schema, among, noise, shares=1, witnesses=0):
        drawn = share(self, schema, among, noise, shares, witnesses)
        return (kept * drawn).astype(drawn.dtype)

    monkeypatch.setattr(DiscreteLaplace, "share", faulty)
    out = str(tmp_path / "run")
    assert main([*TRAIN, "--witnesses", "2000", "--out", out, "--group-size", "1"]) == 1
    assert "THE CLAIM IS BROKEN" in capsys.readouterr().out
    assert main(["audit", "--live", out]) == 1
    assert main([*TRAIN, "--witnesses", "2000", "--json", "--group-size", "1"]) == 1
    choices = ["--nodes", "5", "--epsilon", "1", "--seed", "3", "--witnesses", "2000", "--group-size", "1"]
    assert main(["compare", "phishing", "--protocols", "plain,masking", *choices]) == 1


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (["--witnesses", "0"], "50 to 100,000 cells, got 0"),
        (["--witnesses", "1000000000"], "50 to 100,000 cells, got 1,000,000,000"),
        (["--witnesses", "-1"], "50 to 100,000 cells, got -1"),
        (["--witnesses", "many"], "witnesses is a number or `none`"),
        (["--witnesses", "100.5"], "witnesses"),
        (["--witnesses", "100", "--epsilon", "none"], "there is none: leave out witnesses"),
        (["--witnesses", "100", "--epsilon", "0.00001"], "choose a larger epsilon"),
        (
            ["--witnesses", "100", "--mechanism", "discrete_gaussian", "--delta", "1e-6"],
            "discrete_laplace and of skellam",
        ),
        (["--witnesses", "100", "--mechanism", "k_norm"], "noise of single cells"),
    ],
)
def test_what_witnesses_cannot_be_is_one_line(choices, said, capsys):
    assert main([*TRAIN, *choices]) == MISTAKE
    refusal = capsys.readouterr().err
    assert said in refusal
    assert refusal.count("\n") == 1


def test_none_is_a_word(capsys):
    assert main([*TRAIN, "--witnesses", "none"]) == 0
    assert "witnesses" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("witnesses.json", lambda text: text.replace("0", "1", 1), "is not what the run wrote"),
        ("witnesses.json", lambda text: text[:-9], "holds no witness cells that can be read"),
        ("witnesses.json", lambda text: "[]", "holds no witness cells that can be read"),
        ("witnesses.json", None, "had no witness cells"),
        ("manifest.json", None, "does not say what"),
        ("manifest.json", lambda text: "{}", "does not say what"),
    ],
)
def test_a_folder_that_was_changed_is_refused(run, name, change, said, capsys):
    path = run / name
    if change is None:
        path.unlink()
    else:
        path.write_text(change(path.read_text()))
    capsys.readouterr()
    assert main(["audit", "--live", str(run)]) == MISTAKE
    refusal = capsys.readouterr().err
    assert said in refusal
    assert refusal.count("\n") == 1


def test_the_report_shows_what_the_cells_say(tmp_path):
    out = tmp_path / "run"
    assert main([*TRAIN, "--witnesses", "100", "--out", str(out), "--report"]) == 0
    page = (out / "report.html").read_text()
    assert "Noise witnesses" in page
    assert "as claimed" in page
