"""Links in the README and the documentation lead somewhere: files, headings, and paths named in the text.

Nothing is fetched: of addresses elsewhere only the form is checked.
"""

import json
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
BUILT = {"_build", "reference"}
PAGES = [
    *ROOT.glob("*.md"),
    *(
        path
        for path in (ROOT / "docs").rglob("*")
        if path.suffix in (".md", ".ipynb") and not BUILT & set(path.relative_to(ROOT / "docs").parts)
    ),
]
PATH = re.compile(r"(?:docs|tests|securenb|protocols|attacks|benchmarks)/[\w./-]*\w(?:\.\w+)?/?")
"""A path of the repository, named in the text between backticks."""
PARSER = MarkdownIt("commonmark").enable("table")


def text_of(page):
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def inline(text):
    return [child for token in PARSER.parse(text) if token.type == "inline" for child in token.children]


def targets(text):
    found = {"link_open": "href", "image": "src"}
    return [str(child.attrGet(found[child.type])) for child in inline(text) if child.type in found]


def anchors(text):
    tokens = PARSER.parse(text)
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def wrong(page, target):
    """What is wrong with a link, or None."""
    parts = urlsplit(target)
    if parts.scheme:
        fine = parts.scheme in ("https", "http") and "." in parts.netloc and not re.search(r"\s", target)
        return None if fine else f"{target}: no address"
    file = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
    if not file.exists():
        return f"{target}: no such file"
    if parts.fragment and parts.fragment not in anchors(text_of(file)):
        return f"{target}: no such heading"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    assert [fault for target in targets(text_of(page)) if (fault := wrong(page, target))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_exists(page):
    named = [child.content for child in inline(text_of(page)) if child.type == "code_inline"]
    paths = [name for name in named if PATH.fullmatch(name)]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_there_are_links_and_paths_to_check():
    assert sum(len(targets(text_of(page))) for page in PAGES) >= 30
    assert {"README.md", "index.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere.md", "no such file"),
        ("#no-such-heading", "no such heading"),
        ("docs/privacy.md#nowhere", "no such heading"),
        ("https://", "no address"),
        ("htps://example.org", "no address"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(target, reason):
    assert reason in wrong(ROOT / "README.md", target)
