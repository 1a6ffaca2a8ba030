"""The report, read as text and opened in a real browser."""

import json
import shutil

import pytest

from securenb.cli.main import MISTAKE, main
from securenb.report.run import read_run
from securenb.report.section import SECTIONS

COMPARE = [
    "compare",
    "phishing",
    "--nodes",
    "6",
    "--protocols",
    "plain,masking",
    "--epsilon",
    "1",
    "--seed",
    "7",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "compare"
    assert main([*COMPARE, "--out", str(out), "--report"]) == 0
    return out


def test_a_report_is_one_file_that_loads_nothing(run):
    page = (run / "report.html").read_text()
    own = page.split("<script>")[0]
    assert "src=" not in own
    assert "<link" not in own
    assert "</html>" in page
    assert len(page) < 6_000_000


def test_it_says_what_was_run_what_it_cost_and_what_was_learned(run):
    page = (run / "report.html").read_text()
    for words in (
        "securenb compare",
        "6 nodes&#x27; vectors",
        "one sum of 6",
        "replace-one",
        "numpy",
        "Masked ×6",
    ):
        assert words in page


def test_a_name_in_the_data_cannot_break_out_of_the_page(run, tmp_path):
    evil = tmp_path / "evil"
    shutil.copytree(run, evil)
    manifest = json.loads((evil / "manifest.json").read_text())
    manifest["scenario"]["dataset"] = "</script><script>alert(1)</script>"
    (evil / "manifest.json").write_text(json.dumps(manifest))
    assert main(["report", str(evil)]) == 0
    assert "<script>alert(1)" not in (evil / "report.html").read_text()


def test_several_runs_stand_side_by_side(run, tmp_path, capsys):
    other = tmp_path / "other"
    assert (
        main(
            [
                "train",
                "phishing",
                "--nodes",
                "5",
                "--protocol",
                "masking",
                "--epsilon",
                "2",
                "--out",
                str(other),
            ]
        )
        == 0
    )
    page = tmp_path / "both.html"
    assert main(["report", str(run), str(other), "--out", str(page)]) == 0
    text = page.read_text()
    assert "securenb: 2 runs" in text
    assert '<th scope="col">compare</th>' in text
    assert '<th scope="col">other</th>' in text


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_has_a_title_and_leaves_itself_out_where_it_has_nothing_to_say(name, tmp_path):
    from securenb.report.run import Run
    from securenb.report.section import Content

    section = SECTIONS[name]()
    assert section.title
    content = Content()
    section.show([Run("empty", {}, {}, {}, {})], content)
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
    assert main([*COMPARE, "--report"]) == MISTAKE
    assert "add --out" in capsys.readouterr().err


def test_a_run_folder_reads_back(run):
    read = read_run(run)
    assert read.command == "compare"
    assert set(read.rounds) == {"plain", "masking"}
    assert list(read.tables["results"]["protocol"]) == ["plain", "masking"]


@pytest.fixture(scope="module")
def browser():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def page(browser, run):
    opened = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
    opened.problems, opened.requests = [], []
    opened.on("console", lambda message: opened.problems.append(message.text))
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.on("request", lambda request: opened.requests.append(request.url))
    opened.goto((run / "report.html").as_uri())
    opened.wait_for_selector(".chart svg")
    yield opened
    assert opened.problems == []
    assert opened.requests == [(run / "report.html").as_uri()]
    opened.close()


@pytest.mark.slow
def test_every_chart_is_drawn(page):
    assert page.locator(".chart").count() == page.locator(".chart svg.marks").count() == 3


@pytest.mark.slow
def test_a_click_and_a_key_sort_a_table(page):
    table = page.locator("table.data", has_text="results.csv")
    head = table.locator("th button", has_text="protocol").first
    head.click()
    assert table.locator("tbody tr td:first-child").all_inner_texts() == ["masking", "plain"]
    head.focus()
    page.keyboard.press("Enter")
    assert table.locator("tbody tr td:first-child").all_inner_texts() == ["plain", "masking"]
    assert table.locator("th").first.get_attribute("aria-sort") == "descending"


@pytest.mark.slow
def test_long_tables_are_filtered(page):
    table = page.locator("table.data", has_text="Scenario")
    before = table.locator("tbody tr:visible").count()
    page.get_by_label("Filter rows of Scenario").fill("dataset")
    assert before > table.locator("tbody tr:visible").count() == 1


@pytest.mark.slow
def test_dark_and_light_can_be_switched(page):
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(background) != light


@pytest.mark.slow
def test_a_dot_tells_its_figure(page):
    page.locator(".chart svg.marks path[aria-roledescription='point']").last.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "protocol" in page.locator("#vg-tooltip-element").inner_text()


@pytest.mark.slow
def test_nothing_is_wider_than_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
