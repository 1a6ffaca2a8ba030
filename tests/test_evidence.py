"""A seeded sample of every claim, and what is kept of the whole."""

import pytest

from benchmarks.evidence import record as records
from benchmarks.evidence.claim import CLAIMS, Claim
from benchmarks.evidence.record import ROOT, Record

SAMPLES = {"exact_rounds": 3, "breakdowns": 2, "silent_audits": 4, "zoo_alarms": 2, "zoo_detection": 4_000,
           "collective_certificates": 10, "line_edits": 100, "witness_powers": 6,
           "staircase_boxes": 15, "fuzzed_messages": 5, "drop_out_patterns": 3, "shrinkage": 40,
           "small_budgets": 100}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_names_code_that_is_there(name):
    claim = CLAIMS[name]()
    assert claim.says.endswith(".")
    assert claim.code
    assert all((ROOT / path).exists() for path in claim.code)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_a_sample_of_a_claim_holds(name, dataset):
    dataset("mushroom")
    claim = CLAIMS[name]()
    assert claim.holds([claim.measure(0, SAMPLES.get(name, 1))])


class Counted(Claim):
    says, code, seed, parts = "Parts are counted.", ("protocols",), 1, 3

    def __init__(self, breaks=None):
        self.breaks, self.measured = breaks, []

    def measure(self, part, size=None):
        if part == self.breaks:
            raise KeyboardInterrupt
        self.measured.append(part)
        return {"part": part}

    def holds(self, results):
        return len(results) > 1


@pytest.fixture
def repository(monkeypatch):
    """What git says of changes; nothing, until a test says otherwise."""
    said = {"log": "", "status": "", "rev-parse": "c0ffee\n"}
    monkeypatch.setattr(records, "git", lambda command, *rest: said[command])
    return said


def test_an_interrupted_claim_goes_on_where_it_stopped(tmp_path, repository):
    with pytest.raises(KeyboardInterrupt):
        Record("counted", Counted(breaks=2), tmp_path).run()
    assert Record("counted", Counted(), tmp_path).stale() == "2 of 3 parts run"
    again = Counted()
    assert Record("counted", again, tmp_path).run()
    assert again.measured == [2]
    assert Record("counted", again, tmp_path).stale() == ""
    kept = Record("counted", again, tmp_path).kept()
    assert set(kept) == {"claim", "command", "commit", "date", "seed", "code", "holds", "results"}


@pytest.mark.parametrize("kind", ["log", "status"])
def test_evidence_is_stale_once_its_code_changed_and_is_made_anew(tmp_path, repository, kind):
    assert Record("counted", Counted(), tmp_path).stale() == "never run"
    Record("counted", Counted(), tmp_path).run()
    repository[kind] = "abc123 Change the ring\n"
    assert "Change the ring" in Record("counted", Counted(), tmp_path).stale()
    anew = Counted()
    Record("counted", anew, tmp_path).run()
    assert anew.measured == [0, 1, 2]


def test_evidence_that_does_not_hold_is_stale(tmp_path, repository):
    class Refuted(Counted):
        def holds(self, results):
            return False

    assert not Record("refuted", Refuted(), tmp_path).run()
    assert Record("refuted", Refuted(), tmp_path).stale() == "it does not hold"
