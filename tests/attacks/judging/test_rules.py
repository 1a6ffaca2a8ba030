"""Adapters of robust rules: what breaks at f, hangs or follows the order of rows is found."""

import sys

import pytest

from attacks.judging.check import CHECKS
from attacks.judging.outcome import Outcome, exit_code
from attacks.judging.run import judge

MEDIAN = """
import math, os, time
def about(): return {"name": "rules", "version": "1", "level": "class", "own": True}
def rules(): return ["median"]
def tolerates(rule, n): return (n - 1) // 2
def centre(column, f):
    column = sorted(column)
    return (column[(len(column) - 1) // 2] + column[len(column) // 2]) / 2
def combine(rule, rows, f):
    if 2 * f >= len(rows): raise ValueError("half of the rows")
    if any(not math.isfinite(v) for row in rows for v in row): raise ValueError("not a number")
    return [centre(column, f) for column in zip(*rows)]
"""
MEAN = "math.isfinite = lambda v: True\ndef centre(column, f): return sum(column) / len(column)"
RULES = [name for name in CHECKS if CHECKS[name].kind == "rules"]


@pytest.fixture
def judged(tmp_path):
    def run(source, checks=RULES):
        path = tmp_path / "adapter.py"
        path.write_text(source)
        return judge(path, sys.executable, checks=checks, seconds=0.5)

    return run


def of(results, check):
    return {each.outcome for each in results if each.check == check}


def test_a_right_rule_is_right(judged):
    results = judged(MEDIAN)
    assert {each.check for each in results} == {"control", *RULES}
    assert {each.outcome for each in results} == {Outcome.RIGHT, Outcome.REFUSED}
    assert exit_code(results) == 0


@pytest.mark.parametrize(
    ("fault", "check", "outcome"),
    [
        ("def centre(column, f): return sum(column) / len(column)", "breakdown", Outcome.WRONG),
        ("def centre(column, f): return sum(sorted(column)[2:-2]) / 7", "breakdown", Outcome.WRONG),
        ("def centre(column, f): return column[0]", "order", Outcome.WRONG),
        ("def centre(column, f): return min(column) / 2 + max(0, *column) ** 2", "control", Outcome.BROKEN),
        ("def centre(column, f): return round(sorted(column)[5], 2)", "shift_and_scale", Outcome.WRONG),
        (MEAN, "not_finite", Outcome.WRONG),
        ("def tolerates(rule, n): return 1", "bound", Outcome.WRONG),
        (
            "def centre(column, f):\n  while max(column) > 1e299: pass\n  return sorted(column)[5]",
            "endless",
            Outcome.HANGS,
        ),
        ("def combine(rule, rows, f): return 5", "control", Outcome.BROKEN),
        ("def combine(rule, rows, f): return ['a'] * 4", "control", Outcome.BROKEN),
        ("def combine(rule, rows, f): return [rows[0]]", "control", Outcome.BROKEN),
        ("def rules(): return [3]", "control", Outcome.BROKEN),
        ("def tolerates(rule, n): return 'many'", "bound", Outcome.BROKEN),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(judged, fault, check, outcome):
    results = judged(MEDIAN + fault, RULES if check == "control" else [check])
    assert outcome in of(results, check)
    assert exit_code(results) == (3 if outcome is Outcome.BROKEN else 1)


def test_a_rule_that_is_told_no_number_cannot_refuse_it(judged):
    found = judged(MEDIAN + "def rules(): return [{'name': 'median', 'takes_f': False}]", ["bound"])
    assert of(found, "bound") == {Outcome.NOT_APPLICABLE}
    found = judged(MEDIAN + "def tolerates(rule, n): return 0", ["bound", "breakdown"])
    assert of(found, "bound") == of(found, "breakdown") == {Outcome.NOT_APPLICABLE}
