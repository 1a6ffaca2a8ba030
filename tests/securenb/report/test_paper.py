"""The bundle for a paper: it holds what the runs hold, LaTeX sets it, and it repeats itself."""

import json
import os
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from securenb.cli.main import MISTAKE, main
from securenb.experiments.tables import read_table
from securenb.report.page import Report
from securenb.report.paper import tex, write_paper


@pytest.fixture(scope="module")
def bundle(compared, attacked, certified, tmp_path_factory):
    pytest.importorskip("vl_convert", reason="vl-convert is not installed")
    folder = tmp_path_factory.mktemp("paper") / "bundle"
    assert main(["report", *map(str, (compared, attacked, certified)), "--paper", str(folder)]) == 0
    return folder


def test_it_holds_every_figure_and_every_table_of_the_runs(bundle, compared, attacked, certified):
    text = (bundle / "paper.tex").read_text()
    for run in (compared, attacked, certified):
        for content in Report.read(run).contents():
            for name in content.charts:
                assert (bundle / "figures" / f"{run.name}-{name}.pdf").read_bytes().startswith(b"%PDF")
                assert f"{{figures/{run.name}-{name}.pdf}}" in text
        for table in run.glob("*.csv"):
            again = read_table(bundle / "tables" / f"{run.name}-{table.stem}.csv")
            pd.testing.assert_frame_equal(again, read_table(table))


def test_a_caption_says_the_setting_the_menus_and_the_command(bundle):
    text = (bundle / "paper.tex").read_text()
    dial = text[text.index("attack-dial-phishing-0") :]
    assert "Shown: rule " in dial[: dial.index("end{figure}")]
    assert "12 nodes; epsilon none and 2" in dial[: dial.index("end{figure}")]
    assert "securenb attack phishing -{}-nodes 12" in text


def test_tables_in_latex_have_the_intervals_and_no_prose(bundle, attacked):
    lines = (bundle / "tables" / "attack-summary.tex").read_text()
    summary = pd.read_csv(attacked / "summary.csv")
    assert lines.count("\\\\") == len(summary) + 1
    for value in (*summary["low"], *summary["high"]):
        assert f"{value:.4g}" in lines
    assert "one silent node" not in (bundle / "tables" / "compare-results.tex").read_text()


@pytest.mark.parametrize("text", ["a_b & c%", "{x}^~", "\\begin{document}", "--seed #1 $2"])
def test_text_cannot_be_taken_for_a_command_of_latex(text):
    assert re.sub(r"\\textbackslash{}|\\text[a-z]+{}|\\[#$%&_{}]", "", tex(text)).count("\\") == 0


@pytest.mark.slow
def test_latex_sets_it(bundle, tmp_path):
    if (pdflatex := shutil.which("pdflatex")) is None:
        pytest.skip("no pdflatex on this machine (Debian: texlive-latex-recommended)")
    folder = shutil.copytree(bundle, tmp_path / "set")
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper"], cwd=folder, capture_output=True
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (folder / "paper.pdf").stat().st_size > 10_000


@pytest.mark.slow
def test_it_repeats_itself_and_sees_a_result_that_differs(bundle, tmp_path):
    command = tmp_path / "securenb"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m securenb "$@"\n')
    command.chmod(0o755)
    folder = shutil.copytree(bundle, tmp_path / "copy")
    manifest = json.loads((folder / "manifest.json").read_text())
    runs = [run for run in manifest["runs"] if run["name"] == "compare"]

    def repeated(name):
        (folder / "manifest.json").write_text(json.dumps({"runs": runs}))
        return subprocess.run(
            [sys.executable, folder / "repeat.py", tmp_path / name],
            env={**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
        )

    good = repeated("good")
    assert (good.returncode, "compare: agrees" in good.stdout) == (0, True), good.stderr
    runs[0]["digests"]["plain"] = {"rows": "0", "model": "0"}
    wrong = repeated("wrong")
    assert (wrong.returncode, "compare: DIFFERS in plain" in wrong.stdout) == (1, True), wrong.stderr


def test_a_folder_that_holds_something_and_odd_columns_are_refused(bundle, compared, tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    words = ["report", str(compared), "--out", str(tmp_path / "page.html"), "--paper"]
    assert main([*words, str(tmp_path / "full")]) == MISTAKE
    assert "is not empty" in capsys.readouterr().err
    with pytest.raises(ValueError, match="1 or 2 columns, not 3"):
        write_paper(Report.read(compared), tmp_path / "new", columns=3)
    assert not (tmp_path / "new").exists()
