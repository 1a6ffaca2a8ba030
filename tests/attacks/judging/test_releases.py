"""Adapters of private releases: noise that is missing is found, right noise is not alarmed about."""

import sys

import pytest

from attacks.judging.check import Effort
from attacks.judging.outcome import Outcome, exit_code
from attacks.judging.releases import Private
from attacks.judging.run import judge

COUNTS = """
import math, os, random, time
R = random.SystemRandom()
def about(): return {"name": "counts", "version": "1", "level": "class", "own": True}
def releases(): return [{"name": "count", "adjacency": "add-remove"}]
def geometric(rate): return int(math.log(1 - R.random()) / -rate)
def many(data): return sum(1 for v in data["x"] if v > 0.5)
def noise(epsilon): return geometric(epsilon) - geometric(epsilon)
def release(name, data, epsilon, runs):
    return [[many(data) + noise(epsilon)] for _ in range(runs)]
"""
EFFORT = Effort(runs=6_000, seconds=4.0)


@pytest.fixture
def judged(tmp_path):
    def run(source, checks=("neighbours",)):
        path = tmp_path / "adapter.py"
        path.write_text(source)
        return judge(path, sys.executable, checks=checks, effort=EFFORT, seconds=0.7)

    return run


def of(results, check):
    return {each.adjacency: each.outcome for each in results if each.check == check}


def test_right_noise_is_right_and_planted_controls_come_first(judged):
    results = judged(COUNTS, ["neighbours", "empty_data"])
    assert [each.case for each in results[:2]] == ["planted right noise", "planted wrong noise"]
    assert of(results, "neighbours") == dict.fromkeys(("add-remove", "replace-one"), Outcome.RIGHT)
    assert of(results, "empty_data") == {"add-remove": Outcome.RIGHT, "replace-one": Outcome.NOT_APPLICABLE}
    assert exit_code(results) == 0


@pytest.mark.parametrize(
    "fault",
    [
        "def noise(epsilon): return 0",
        "def noise(epsilon): return geometric(3 * epsilon) - geometric(3 * epsilon)",
        "def many(data): return 5 * sum(1 for v in data['x'] if v > 0.5)",
    ],
)
def test_missing_noise_is_found_by_two_looks(judged, fault):
    results = judged(COUNTS + fault)
    assert set(of(results, "neighbours").values()) == {Outcome.WRONG}
    assert all(each.bound > 1 for each in results if each.check == "neighbours")
    assert exit_code(results) == 1


def test_what_is_claimed_under_one_adjacency_is_judged_by_it(judged):
    claims = "def releases(): return [{'name': 'count', 'adjacency': 'replace-one', 'size_public': 'yes'}]"
    found = judged(COUNTS + claims)
    assert of(found, "neighbours") == {"add-remove": Outcome.NOT_APPLICABLE, "replace-one": Outcome.RIGHT}
    assert {each.size_public for each in found if each.subject == "count"} == {"yes"}


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("  if any(v != v for v in data['x']): raise ValueError('NaN')", Outcome.REFUSED),
        ("  if any(v != v for v in data['x']): os._exit(1)", Outcome.REFUSED),
        ("  if any(v != v for v in data['x']): return [None] * runs", Outcome.REFUSED),
        ("  if any(v != v for v in data['x']): time.sleep(9)", Outcome.HANGS),
        ("  if any(v != v for v in data['x']): return [[1]]", Outcome.BROKEN),
        ("  if any(v != v for v in data['x']): return [[]] * runs", Outcome.BROKEN),
    ],
)
def test_every_end_is_an_outcome(judged, fault, outcome):
    head, _, body = COUNTS.rpartition("    return [[many")
    found = judged(f"{head}  {fault}\n    return [[many{body}", ["not_a_number"])
    assert outcome in {each.outcome for each in found if each.check == "not_a_number"}


@pytest.mark.parametrize(
    "fault",
    [
        "def release(name, data, epsilon, runs): return [[1]] * runs",
        "def release(name, data, epsilon, runs): return [[1]]",
        "def release(name, data, epsilon, runs): raise ValueError('no')",
        "def releases(): return ['count']",
        "def releases(): return [{'name': 'count', 'adjacency': 'both'}]",
        "def releases(): return 7",
    ],
)
def test_a_release_that_does_not_see_the_data_is_a_broken_adapter(judged, fault):
    results = judged(COUNTS + fault)
    assert results[-1].outcome is Outcome.BROKEN
    assert exit_code(results) == 3


def test_a_first_alarm_that_a_second_look_does_not_confirm_is_no_failure(judged, monkeypatch):
    looks = iter([("FAIL", 3.0), ("PASS", 0.1)] * 2)

    class Told:
        def __init__(self, verdict, bound):
            self.verdict, self.bound, self.evidence = verdict, bound, ""

    monkeypatch.setattr("attacks.judging.releases.audited", lambda *_: Told(*next(looks)))
    monkeypatch.setattr("attacks.judging.run._planted", lambda *_: ())
    found = of(judged(COUNTS), "neighbours")
    assert set(found.values()) == {Outcome.INCONCLUSIVE}


def test_to_replace_costs_twice_what_it_costs_to_add():
    private = Private(None, "count", "add-remove")
    assert private.claim("add-remove", 0.5).epsilon == 0.5
    assert private.claim("replace-one", 0.5).epsilon == 1.0
    assert Private(None, "count", "replace-one").claim("add-remove", 0.5) is None
    assert Private(None, "count", "add-remove", 1e-6).claim("replace-one", 0.5) is None
