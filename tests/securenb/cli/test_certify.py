"""`securenb certify`: certificates of saved models, and refusals of what has none."""

import json
import re

import pandas as pd
import pytest

from securenb.cli.main import main
from securenb.data.dataset import load_dataset


def trained(folder, protocol="verified", *, dataset="phishing", cap=200, more=("--no-shrinkage",)):
    """The run folder of a trained model."""
    capped = [] if cap is None else ["--record-cap", str(cap)]
    choices = ["train", dataset, "--nodes", "6", "--epsilon", "1", "--seed", "7", "--protocol", protocol]
    assert main([*choices, *capped, *more, "--out", str(folder)]) == 0
    return folder


def test_certify_prints_and_writes_a_curve_that_falls_from_the_saved_models_accuracy(capsys, tmp_path):
    run = trained(tmp_path / "run")
    printed = capsys.readouterr().out
    out = tmp_path / "certified"
    assert main(["certify", str(run), "--malicious", "2", "--out", str(out), "--report"]) == 0
    printed = capsys.readouterr().out
    assert "exact" in printed
    assert "does not enforce" not in printed
    table = pd.read_csv(out / "certificates.csv")
    assert list(table["malicious"]) == [0, 1, 2]
    assert list(table["records"]) == [0, 200, 400]
    assert table["certified_accuracy"].is_monotonic_decreasing
    assert (table["at_most"] == table["certified_accuracy"]).all()
    assert (table["collective_balanced_accuracy"] >= table["certified_balanced_accuracy"]).all()
    assert (table["collective_balanced_accuracy"] > table["certified_balanced_accuracy"]).any()
    figures = pd.read_csv(run / "results.csv").iloc[0]
    assert table["certified_accuracy"][0] == figures["accuracy"]
    assert table["certified_balanced_accuracy"][0] == pytest.approx(figures["balanced_accuracy"])
    points = pd.read_csv(out / "points.csv")
    certified = (points["label"] == points["predicted"]) & (points["withstands"] >= 1)
    assert certified.mean() == table["certified_accuracy"][1]
    assert json.loads((out / "manifest.json").read_text())["scenario"]["record_cap"] == 200
    assert (out / "report.html").is_file()


def test_a_model_file_that_stands_alone_is_certified_on_the_users_own_points(capsys, tmp_path, as_files):
    run = trained(tmp_path / "run", cap=None)
    alone = tmp_path / "alone.json"
    alone.write_bytes((run / "model.json").read_bytes())
    capsys.readouterr()
    arguments = ["certify", str(alone), "--malicious", "1", "--json"]
    assert main(arguments) == 2
    assert "needs --record-cap" in capsys.readouterr().err
    arguments += ["--record-cap", "5"]
    assert main(arguments) == 2
    assert "add --points FILE.csv" in capsys.readouterr().err
    data = load_dataset("phishing")
    _, files = as_files(tmp_path, data.schema, {"points": data.test})
    assert main([*arguments, "--points", str(files["points"])]) == 0
    alone_found = json.loads(capsys.readouterr().out)
    assert main(["certify", str(run), "--malicious", "1", "--record-cap", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == alone_found


def test_certify_says_when_nobody_enforces_the_cap(capsys, tmp_path):
    unchecked = trained(tmp_path / "masking", "masking")
    assert main(["certify", str(unchecked), "--malicious", "1"]) == 0
    assert "did not enforce a cap of 200" in capsys.readouterr().out
    looser = trained(tmp_path / "verified", "verified")
    assert main(["certify", str(looser), "--malicious", "1", "--record-cap", "150"]) == 0
    assert "did not enforce a cap of 150" in capsys.readouterr().out


def test_changes_of_honest_records_are_certified_without_noise_only(capsys, tmp_path):
    run = tmp_path / "run"
    choices = ["train", "phishing", "--nodes", "6", "--epsilon", "none", "--seed", "7"]
    assert main([*choices, "--protocol", "masking", "--out", str(run)]) == 0
    capsys.readouterr()
    choices = ["certify", str(run), "--record-cap", "20", "--malicious", "2"]
    curves = {}
    for change in ("removed", "replaced", "flipped"):
        assert main([*choices, "--change", change, "--json"]) == 0
        curves[change] = [line["certified_accuracy"] for line in json.loads(capsys.readouterr().out)]
    assert curves["replaced"][2] <= min(curves["removed"][2], curves["flipped"][2]) < curves["removed"][0]
    assert main([*choices, "--change", "lost"]) == 2
    assert "removed, replaced, flipped, got 'lost'" in capsys.readouterr().err
    noisy = trained(tmp_path / "noisy")
    assert main(["certify", str(noisy), "--malicious", "1", "--change", "removed"]) == 2
    assert "sums with noise" in capsys.readouterr().err


UNCERTIFIABLE = {
    "another rule": (
        {"protocol": "plain", "more": ["--rule", "trusted_rows"]},
        "only the model of a plain sum",
    ),
    "shrunk counts": ({"more": []}, "with --rule verified_sum, or with --no-shrinkage"),
    "no cap": ({"cap": None}, "needs --record-cap"),
}


def test_gaussians_are_certified_with_a_word_on_how_far_it_is_exact(capsys, tmp_path):
    run = trained(tmp_path / "run", dataset="breast_cancer", cap=90)
    capsys.readouterr()
    assert main(["certify", str(run), "--malicious", "1"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^exact", printed, re.MULTILINE)
    assert "no collective certificate: it needs features with levels" in printed
    assert main(["certify", str(run), "--malicious", "1", "--programs", "-1"]) == 2
    assert "--programs is 0 or more, got -1" in capsys.readouterr().err


@pytest.mark.parametrize("reason", UNCERTIFIABLE)
def test_a_model_without_an_exact_certificate_is_refused(reason, capsys, tmp_path):
    choices, message = UNCERTIFIABLE[reason]
    run = trained(tmp_path / "run", **choices)
    out = tmp_path / "certified"
    assert main(["certify", str(run), "--malicious", "1", "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()
