"""The report, read as text and opened in a real browser."""

import json
import shutil
import sys

import altair as alt
import pandas as pd
import pytest

from securenb.cli.main import MISTAKE, main
from securenb.report.page import Report
from securenb.report.picture import script, specification
from securenb.report.run import read_run
from securenb.report.section import SECTIONS


def test_a_report_is_one_file_that_loads_nothing(compared):
    page = (compared / "report.html").read_text()
    own = page.split("<script>")[0]
    assert "src=" not in own
    assert "<link" not in own
    assert "</html>" in page
    assert len(page) < 6_000_000


def test_it_says_what_was_run_what_it_cost_and_what_was_learned(compared):
    page = (compared / "report.html").read_text()
    for words in (
        "securenb compare",
        "6 nodes&#x27; vectors",
        "one sum of 6",
        "replace-one",
        "numpy",
        "Masked ×6",
    ):
        assert words in page


def test_a_name_in_the_data_cannot_break_out_of_the_page(compared, tmp_path):
    evil = tmp_path / "evil"
    shutil.copytree(compared, evil)
    manifest = json.loads((evil / "manifest.json").read_text())
    manifest["scenario"]["dataset"] = "</script><script>alert(1)</script>"
    (evil / "manifest.json").write_text(json.dumps(manifest))
    assert main(["report", str(evil)]) == 0
    assert "<script>alert(1)" not in (evil / "report.html").read_text()


def test_several_runs_stand_side_by_side(compared, trained, tmp_path):
    page = tmp_path / "both.html"
    assert main(["report", str(compared), str(trained), "--out", str(page)]) == 0
    text = page.read_text()
    assert "securenb: 2 runs" in text
    assert "What the runs differ in" in text
    for name in ("compare", "train"):
        assert f'<th scope="col">{name}</th>' in text
    charts = dict(Report.read(compared, trained)._sections())["The runs beside each other"].charts["rounds"]
    (shown,) = charts["datasets"].values()
    assert {line["protocol"] for line in shown} == {"compare: plain", "compare: masking", "train: masking"}


def test_two_attacks_share_their_curves(attacked, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(attacked, other)
    titles = dict(Report.read(attacked, other)._sections())
    (shown,) = titles["The runs beside each other"].charts["curves"]["datasets"].values()
    assert {line["run"] for line in shown} == {"attack", "other"}


def test_group_sizes_stand_in_order_and_one_group_is_called_all(attacked):
    charts = dict(Report.read(attacked)._sections())["How much poisoning it survives"].charts
    (shown,) = charts["dial-phishing-0"]["datasets"].values()
    assert list(dict.fromkeys(line["group_size"] for line in shown)) == ["1", "3", "all"]
    assert {line["epsilon"] for line in shown} == {"none", "2"}
    assert {line["cap_ratio"] for line in shown} == {"none"}


def test_an_audit_shows_its_verdict_what_it_measured_and_what_it_does_not_cover(audited):
    content = dict(Report.read(audited)._sections())["Is the privacy accounting true?"]
    text = "\n".join(content.html)
    assert 'data-verdict="PASS"' in text
    assert "not covered" in text
    (shown,) = content.charts["audit-0"]["datasets"].values()
    assert shown
    assert all(line["level"] != "L0" for line in shown)


def test_the_ledger_shows_both_adjacencies_in_one_line(compared):
    html = "\n".join(dict(Report.read(compared)._sections())["Privacy"].html)
    assert "epsilon, add-remove" in html
    assert "epsilon, replace-one" in html
    assert html.count("<tr>") == 1 + 3  # rows under both protocols, vectors under plain


@pytest.mark.parametrize(
    ("run", "question", "said"),
    [
        ("compared", "What does secure aggregation cost and buy?", "one sum of 6 under masking"),
        ("trained", "What is the model worth, and what did it cost a record?", "epsilon 2 when records are"),
        (
            "attacked",
            "How much poisoning does it survive?",
            "under the worst of 2 attacks",
        ),
        ("audited", "May this be published at epsilon 1?", "the ledger claims 1 at delta 0"),
        ("certified", "What accuracy is certain, whatever malicious nodes send?", "with 2 malicious"),
    ],
)
def test_the_page_answers_before_it_shows_evidence(run, question, said, request):
    html = Report.read(request.getfixturevalue(run)).html()
    first = html[html.index("In short</h2>") : html.index("What was run</h2>")]
    for words in (question, said, "Not said: "):
        assert words in first


def test_an_answer_gives_the_figures_of_its_table(attacked, certified):
    run, floor = read_run(attacked), read_run(certified).tables["certificates"]
    html = Report((run,)).html()
    summary = run.tables["summary"]
    for epsilon, part in summary[summary["share"] == summary["share"].max()].groupby("epsilon"):
        best = part.loc[part["mean"].idxmax()]
        assert f"{best['mean']:.3f} ({best['low']:.3f} to {best['high']:.3f}" in html, epsilon
    assert "its lower end is open" in html
    run.tables["summary"]["certified"] = 0.125
    assert "no attack goes below 0.125" in Report((run,)).html()
    for value in floor["certified_balanced_accuracy"]:
        assert f"{value:.3f}" in Report.read(certified).html()


def test_a_recomputed_charge_is_not_called_shown(audited):
    run = read_run(audited)
    text = Report((run,)).html()
    assert "A record was shown to lose" in text
    audit = run.documents["audit"]
    audit["findings"] = [finding for finding in audit["findings"] if finding["level"] in ("L0", "L1")]
    assert any(finding["bound"] is not None for finding in audit["findings"])
    assert "A record was shown to lose" not in Report((run,)).html()


def test_what_a_run_chose_beside_its_scenario_is_among_the_differences(compared, audited):
    html = Report.read(compared, audited).html()
    differ = html[html.index("What the runs differ in") : html.index("Every choice")]
    assert "plain, masking" in differ
    assert "DiscreteLaplace(epsilon=1)" in differ


def test_certificates_are_drawn(certified):
    content = dict(Report.read(certified)._sections())["What is certain"]
    (shown,) = content.charts["certificates"]["datasets"].values()
    assert {line["series"] for line in shown} == {
        "accuracy",
        "balanced accuracy",
        "balanced accuracy, collective",
    }
    assert [line["malicious"] for line in shown if line["series"] == "accuracy"] == [0, 1, 2]


def test_scaling_has_a_chart_for_bytes_and_one_for_time(tmp_path):
    folder = tmp_path / "scale"
    arguments = ["scale", "--protocol", "plain", "--nodes", "3,5", "--length", "4", "--report"]
    assert main([*arguments, "--out", str(folder)]) == 0
    charts = dict(Report.read(folder)._sections())["What it costs as nodes become more"].charts
    assert set(charts) == {"scale-0-0", "scale-0-1"}
    assert "grows as n^" in (folder / "report.html").read_text()


def test_a_sweep_of_rounds_has_a_line_for_each_combination_and_a_dot_for_each_round(tmp_path):
    file, folder = tmp_path / "sweep.toml", tmp_path / "sweep"
    file.write_text(
        'trials = 2\nseed = 4\n[round]\ndataset = "phishing"\nnodes = 5\nepsilon = ["none", "1"]\n'
        'protocol = ["plain", "masking"]\n'
    )
    assert main(["run", str(file), "--jobs", "1", "--backend", "sequential", "--out", str(folder)]) == 0
    charts = dict(Report.read(folder)._sections())["What the choices change"].charts
    (shown,) = charts["sweep-0"]["datasets"].values()
    assert len(shown) == 8
    assert len({line["combination"] for line in shown}) == 4
    assert shown[0]["combination"] == "none, plain"


@pytest.mark.slow
def test_a_study_of_a_hundred_thousand_lines_stays_below_six_megabytes(attacked, tmp_path):
    large = tmp_path / "large"
    shutil.copytree(attacked, large)
    results = pd.read_csv(large / "results.csv")
    copies = [results.assign(attack=results["attack"] + f":{copy}") for copy in range(1000)]
    pd.concat(copies).to_csv(large / "results.csv", index=False)
    assert len(results) * len(copies) > 50_000
    assert len(Report.read(large).html().encode()) < 6_000_000


@pytest.mark.slow
def test_charts_become_files_for_papers(attacked, tmp_path):
    charts = tmp_path / "charts"
    assert main(["report", str(attacked), "--out", str(tmp_path / "p.html"), "--charts", str(charts)]) == 0
    names = {path.name for path in charts.iterdir()}
    drawn = ("curves-phishing-0", "dial-phishing-0", "map-phishing-0")
    assert names == {f"{name}.{kind}" for name in drawn for kind in ("png", "svg")}
    assert "malicious nodes" in (charts / "dial-phishing-0.svg").read_text()


def test_without_vl_convert_a_report_is_whole_and_a_figure_says_what_to_install(
    compared, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert main(["report", str(compared), "--out", str(tmp_path / "p.html")]) == 0
    assert "vegaEmbed(" in (tmp_path / "p.html").read_text()
    assert main(["report", str(compared), "--charts", str(tmp_path / "charts")]) == MISTAKE
    assert "pip install 'securenb[figures]'" in capsys.readouterr().err


def test_the_script_of_a_page_is_vega_and_closes_no_element():
    text = script()
    assert "vegaEmbed" in text
    assert "</script" not in text


def test_a_chart_that_a_run_left_is_drawn(compared, tmp_path):
    left = tmp_path / "left"
    shutil.copytree(compared, left)
    chart = alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")
    (left / "fig9.vl.json").write_text(json.dumps(specification(chart)))
    assert "fig9-0" in dict(Report.read(left)._sections())["Figures"].charts


def test_a_report_shows_itself_in_a_notebook(compared):
    frame = Report.read(compared)._repr_html_()
    assert frame.startswith("<iframe")
    assert "&lt;!doctype html&gt;" in frame


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_a_title_and_leaves_itself_out_where_it_has_nothing_to_say(name, tmp_path):
    from securenb.report.run import Run
    from securenb.report.section import Content

    section = SECTIONS[name]()
    assert section.title
    content = Content()
    section.show([Run("empty", {}, {}, {}, {}, {})], content)
    assert content.charts == {}


@pytest.mark.parametrize(("content", "reason"), [(None, "holds no run"), ("{", "broken")])
def test_what_is_no_run_is_one_clear_line(content, reason, tmp_path, capsys):
    folder = tmp_path / "broken"
    folder.mkdir()
    if content is not None:
        (folder / "manifest.json").write_text(content)
    assert main(["report", str(folder)]) == MISTAKE
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert reason in printed
    assert not (folder / "report.html").exists()


def test_a_report_without_a_folder_is_refused_before_anything_runs(capsys):
    assert main(["compare", "phishing", "--nodes", "6", "--epsilon", "1", "--report"]) == MISTAKE
    assert "add --out" in capsys.readouterr().err


def test_a_run_folder_reads_back(compared):
    read = read_run(compared)
    assert read.command == "compare"
    assert set(read.rounds) == {"plain", "masking"}
    assert list(read.tables["results"]["protocol"]) == ["plain", "masking"]
