"""Reports of real runs, opened in a real browser."""

import re
import shutil

import pytest

from securenb.report.page import Report

pytestmark = pytest.mark.slow

BACKGROUND = "getComputedStyle(document.body).backgroundColor"


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
def visit(browser, tmp_path):
    """Opens the report about some run folders; it must neither complain nor load anything."""
    pages, problems, requests = [], [], []
    file = tmp_path / "report.html"

    def opened(*folders):
        Report.read(*folders).write(file)
        page = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_selector(".chart svg")
        pages.append(page)
        return page

    yield opened
    assert problems == []
    assert requests == [file.as_uri()] * len(pages)
    for page in pages:
        page.close()


@pytest.fixture
def page(visit, compared):
    return visit(compared)


@pytest.mark.parametrize(
    ("runs", "charts"), [("compared", 3), ("attacked", 3), ("audited", 1), ("certified", 1)]
)
def test_every_chart_is_drawn_and_nothing_is_wider_than_a_phone(runs, charts, visit, request):
    page = visit(request.getfixturevalue(runs))
    assert page.locator(".chart").count() == charts
    page.wait_for_function(f"document.querySelectorAll('.chart svg.marks').length === {charts}")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_everything_fits_on_one_page(visit, compared, trained, attacked, audited, certified):
    page = visit(compared, trained, attacked, audited, certified)
    titles = page.locator("h2").all_inner_texts()
    assert titles == [
        "In short",
        "What was run",
        "The runs beside each other",
        "What secure aggregation costs and buys",
        "How much poisoning it survives",
        "What is certain",
        "What each party saw",
        "Privacy",
        "Is the privacy accounting true?",
        "Results",
    ]
    page.get_by_role("navigation").get_by_text("Privacy", exact=True).click()
    assert page.evaluate("location.hash") == "#s8"


def test_paper_takes_eight_pages_and_an_id_stands_once(
    visit, compared, trained, attacked, audited, certified
):
    page = visit(compared, trained, attacked, audited, certified)
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf())) <= 8
    ids = page.locator("[id]").evaluate_all("all => all.map(each => each.id)")
    assert sorted(set(ids)) == sorted(ids)


def test_a_menu_changes_what_a_chart_shows(visit, attacked):
    page = visit(attacked)
    dial = page.locator("#dial-phishing-0")
    lines = dial.locator("svg.marks path[aria-roledescription='line mark']")
    before = [line.get_attribute("d") for line in lines.all()]
    dial.get_by_label("rule").select_option("sum")
    page.wait_for_timeout(200)
    assert before != [line.get_attribute("d") for line in lines.all()]


def test_a_click_and_a_key_sort_a_table(page):
    table = page.locator("table.data", has_text="results.csv")
    head = table.locator("th button", has_text="protocol").first
    head.click()
    assert table.locator("tbody tr td:first-child").all_inner_texts() == ["masking", "plain"]
    head.focus()
    page.keyboard.press("Enter")
    assert table.locator("tbody tr td:first-child").all_inner_texts() == ["plain", "masking"]
    assert table.locator("th").first.get_attribute("aria-sort") == "descending"


def test_a_key_unfolds_and_long_tables_are_filtered(page):
    page.locator("summary", has_text="Every choice").focus()
    page.keyboard.press("Enter")
    table = page.locator("table.data", has_text="Scenario")
    before = table.locator("tbody tr:visible").count()
    page.get_by_label("Filter rows of Scenario").fill("dataset")
    assert before > table.locator("tbody tr:visible").count() == 1


def test_dark_and_light_can_be_switched_and_paper_is_white(page):
    light = page.evaluate(BACKGROUND)
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(BACKGROUND) != light
    page.emulate_media(media="print")
    assert page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    assert not page.locator(".theme").is_visible()


def test_a_dot_tells_its_figure(page):
    page.locator(".chart svg.marks path[aria-roledescription='point']").last.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "protocol" in page.locator("#vg-tooltip-element").inner_text()
