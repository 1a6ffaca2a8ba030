"""The scoreboard: its page follows from its rows, what is withheld stays so, and two peers are judged."""

import hashlib
import importlib.util
import sys

import pytest

from attacks.judging.check import CHECKS, SECRET
from attacks.judging.outcome import COLUMNS, Outcome
from benchmarks.board import page
from benchmarks.board.__main__ import TESTS, judged
from benchmarks.board.environments import OWN, adapters, requirements

ROWS = page.read()
LIGHT = {
    "phe": ("phe", ["full_range", "secrets_repeat"]),
    "flower_rules": ("flwr", ["bound", "order"]),
    "securenb": ("securenb", ["bound", "order", "in_the_clear"]),
}
"""Adapters that are tried here: the module that they need, and some checks."""


def test_the_page_is_made_from_the_rows():
    assert page.PAGE.read_text(encoding="utf-8") == page.render(ROWS, TESTS)


def test_rows_have_the_columns_of_results_and_its_words():
    assert set(ROWS[0]) == set(COLUMNS)
    assert {row["outcome"] for row in ROWS} <= {outcome.value for outcome in Outcome}
    assert len({row["peer"] for row in ROWS}) >= 12
    assert len(ROWS) >= 150


def test_a_row_that_is_withheld_says_nothing_else_and_none_beside_it_tells():
    withheld = [row for row in ROWS if row["outcome"] == "withheld"]
    for row in withheld:
        told = {name for name, value in row.items() if value}
        assert told == {"peer", "version", "outcome", "reason", "date"}
        assert row["reason"] == "withheld, not yet reported"
    silent = {row["peer"] for row in withheld}
    secret = {name for name in CHECKS if CHECKS[name].concerns in SECRET}
    assert not [row for row in ROWS if row["peer"] in silent and row["check"] in secret]


def test_no_fault_of_secrecy_is_told_without_a_public_report():
    secret = {name for name in CHECKS if CHECKS[name].concerns in SECRET}
    faults = [
        row for row in ROWS if row["check"] in secret and row["outcome"] in ("opened", "wrong silently")
    ]
    assert all(row["peer"] == OWN or "https://" in row["reason"] for row in faults)


def test_every_documented_limit_is_quoted():
    limits = [row["reason"] for row in ROWS if row["outcome"] == "documented limit"]
    assert limits
    assert all("“" in reason and "https://" in reason for reason in limits)


def test_rows_come_from_the_adapters_that_are_here():
    digests = {hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in adapters().values()}
    assert {row["adapter"] for row in ROWS} - {""} <= digests


def test_requirements_are_pinned_with_hashes():
    for name in adapters():
        if name != OWN:
            lines = [line for line in requirements(name).read_text().splitlines() if line[0] != "#"]
            assert lines
            assert all("==" in line and "--hash=sha256:" in line for line in lines)


@pytest.mark.parametrize("name", LIGHT)
def test_a_peer_that_is_installed_is_judged(name):
    module, checks = LIGHT[name]
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed here")
    results = judged(name, checks, python=sys.executable)
    assert results[0].check == "control"
    assert Outcome.BROKEN not in {each.outcome for each in results}
    assert {each.check for each in results} <= {"control", *checks, ""}
