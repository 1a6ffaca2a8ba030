"""The page of the adversary is what the search finds: a sample here, all of it by its command."""

from pathlib import Path

import pytest

from attacks.prove.table import INTRODUCTION, questions, row

PAGE = Path(__file__).resolve().parents[3] / "docs" / "protocols" / "adversary.md"
QUICK = [
    (said, question)
    for said, question in questions()
    if question.neighbours is None and question.nodes <= 7 and question.holders in (None, 1, 3, 4)
]


def test_the_page_has_every_row():
    text = PAGE.read_text()
    assert text.startswith(INTRODUCTION)
    _, *parts = text.split("\n## ")
    rows = {(part.split()[0], line.split(" | ")[0][2:]) for part in parts for line in part.splitlines()[4:]}
    assert rows == {(question.protocol, said) for said, question in questions()}


@pytest.mark.parametrize(("said", "question"), QUICK, ids=lambda each: str(each)[:24])
def test_a_row_is_what_the_search_finds(said, question):
    part = PAGE.read_text().split(f"\n## {question.protocol}\n")[1].split("\n## ")[0]
    assert f"| {said} | {row(question)[1]} |" in part.splitlines()


def test_the_planner_accepts_nothing_that_the_page_calls_broken():
    checked = 0
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 6 and cells[1].isdigit() and cells[4].isdigit():
            assert int(cells[1]) < int(cells[4]), line
            checked += 1
    assert checked > 20
