"""A peer's fault of secrecy that is not public leaves no trace but the number of such faults."""

import csv
import io
import json
import sys

import pytest

from attacks.judging.adapter import About
from attacks.judging.check import CHECKS, SECRET, Found
from attacks.judging.disclosure import Seen, shown
from attacks.judging.outcome import FAILURES, Outcome, exit_code
from attacks.judging.run import judge
from securenb.cli.main import main

LEAKS = """
def about():
    return {"name": "peer", "version": "2", "level": "class",
            "schemes": {"plain": {"lowest": 0, "highest": 9}, "zero": {"lowest": 0, "highest": 9}}, **MORE}
MORE = {}
def run(scheme, vectors, silent, tamper):
    total = [sum(column) % 1000 for column in zip(*vectors)]
    return {"sum": total, "sent": vectors if scheme == "plain" else [[0] * len(v) for v in vectors]}
"""
CITED = """
MORE = {"%s": [{"check": "in_the_clear", "of": "plain", "quote": "vectors are sent as they are",
                "url": "https://example.org/issues/1", "date": "2026-11-30"}]}
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "adapter.py"
    path.write_text(LEAKS)
    return path


def secret(results):
    return [each for each in results if each.check in CHECKS and CHECKS[each.check].concerns in SECRET]


def test_what_is_withheld_says_nothing_else(path):
    results = judge(path, sys.executable)
    withheld = [each for each in results if each.outcome is Outcome.WITHHELD]
    assert withheld
    for each in withheld:
        told = {name: value for name, value in each.to_dict().items() if value}
        assert set(told) == {"peer", "version", "outcome", "reason", "date"}
        assert each.reason == "withheld, not yet reported"
    # what is missing among the others must not tell
    assert not secret(results)
    assert exit_code(results) == 1


def test_nothing_of_it_is_printed_or_written(path, capsys, tmp_path):
    for form in ([], ["--json"]):
        assert (
            main(["judge", str(path), "--python", sys.executable, *form, "--out", str(tmp_path / "o")]) == 1
        )
        said = capsys.readouterr()
        for text in (said.out, said.err, *(file.read_text() for file in (tmp_path / "o").iterdir())):
            assert "in_the_clear" not in text
            assert "secrets_repeat" not in text
            assert "opened" not in text
        rows = list(csv.DictReader(io.StringIO((tmp_path / "o" / "results.csv").read_text())))
        assert not {row["outcome"] for row in rows} & {"opened"}
        for file in (tmp_path / "o").iterdir():
            file.unlink()
        (tmp_path / "o").rmdir()


def test_the_owner_of_the_code_sees_it(path):
    path.write_text(LEAKS + "MORE = {'own': True}")
    results = judge(path, sys.executable, checks=["in_the_clear"])
    assert [each.outcome for each in results if each.subject == "plain"][-1] is Outcome.OPENED


@pytest.mark.parametrize("own", ["'yes'", "1", "None", "'false'", "False"])
def test_only_true_makes_an_owner(path, own):
    path.write_text(LEAKS + f"MORE = {{'own': {own}}}")
    assert not secret(judge(path, sys.executable, checks=["in_the_clear"]))


def test_a_public_report_or_a_documented_limit_is_quoted(path):
    for kind, outcome in {"reports": Outcome.OPENED, "limits": Outcome.LIMIT}.items():
        path.write_text(LEAKS + CITED % kind)
        found = judge(path, sys.executable, checks=["in_the_clear"])
        (row,) = [each for each in found if each.subject == "plain" and each.check != "control"]
        assert row.outcome is outcome
        assert "“vectors are sent as they are” (https://example.org/issues/1, 2026-11-30)" in row.reason


@pytest.mark.parametrize(
    ("part", "by"),
    [
        ("https://example.org/issues/1", "my notes"),
        ("https://example.org/issues/1", ""),
        ("2026-11-30", "soon"),
        ("2026-11-30", ""),
        ("vectors are sent as they are", ""),
        ('"of": "plain",', ""),
    ],
)
def test_a_citation_without_address_or_date_is_none(path, part, by):
    path.write_text(LEAKS + (CITED % "reports").replace(part, by))
    results = judge(path, sys.executable)
    assert [each.outcome for each in results] == [Outcome.BROKEN]


def test_a_report_of_one_fault_shows_no_other(path):
    path.write_text(LEAKS + CITED % "reports")
    results = judge(path, sys.executable, checks=["in_the_clear", "secrets_repeat"])
    assert not secret(results)
    assert Outcome.WITHHELD in {each.outcome for each in results}


@pytest.mark.parametrize("own", [True, False])
def test_what_could_not_be_settled_gives_others_no_hint(own):
    found = Found("x", Outcome.INCONCLUSIVE, "a first look alarmed, a second one did not", bound=0.9)
    seen = [Seen("neighbours", "privacy", "count", "", found, 0.0)]
    (row,) = shown(About("peer", "1", "class", own=own), "", "2026-12-01", seen)
    assert (row.reason, row.bound) == ((found.reason, 0.9) if own else ("could not be settled", None))


def test_every_fault_that_can_be_found_is_told_or_withheld():
    assert {Outcome.WRONG, Outcome.OPENED, Outcome.HANGS, Outcome.WITHHELD} == FAILURES
    assert {CHECKS[name].concerns for name in CHECKS if CHECKS[name].kind == "releases"} == {"privacy"}
    assert json.dumps([outcome.value for outcome in Outcome]).count("withheld") == 1


def test_on_a_board_no_adapter_can_call_itself_the_owner(path):
    path.write_text(LEAKS + "MORE = {'own': True}")
    assert not secret(judge(path, sys.executable, others=True))
