"""One line more, less or different, in the file that a round reads."""

import numpy as np
import pandas as pd
import pytest

import securenb.data.own
from attacks.audit.file_level import audit_file, excess
from benchmarks.evidence.claims.line_edits import SCHEMA as LINE_SCHEMA
from benchmarks.evidence.claims.line_edits import LineEdits
from securenb.cli.main import MISTAKE, main
from securenb.experiments.scenario import Scenario
from securenb.schema.statistics import Statistics

SCHEMA = """
label = "y"
classes = ["no", "yes"]
missing = ["NA"]
[[features]]
kind = "categorical"
name = "zip"
levels = ["01", "1", "A"]
[[features]]
kind = "numeric"
name = "age"
lower = 0
upper = 64
missing = 32
"""


@pytest.fixture
def scenario(tmp_path):
    rng = np.random.default_rng(3)
    rows = [f"s{i % 3},{('01', '1')[i % 2]},{rng.integers(65)},{('no', 'yes')[i % 2]}\n" for i in range(240)]
    (tmp_path / "data.csv").write_text("site,zip,age,y\n" + "".join(rows))
    (tmp_path / "schema.toml").write_text(SCHEMA)
    own = {"schema_file": str(tmp_path / "schema.toml"), "node_column": "site"}
    return Scenario.checked(dataset=str(tmp_path / "data.csv"), protocol="plain", epsilon="1", **own)


def audited(scenario):
    (finding,) = audit_file(scenario, scenario.load().schema, np.random.default_rng(0), 150)
    return finding


def test_the_reader_passes_and_most_edits_are_compared(scenario):
    finding = audited(scenario)
    assert finding.verdict == "PASS", finding.evidence
    compared, refused, by_row = (
        int(word.strip("(")) for word in finding.evidence.split() if word.strip("(").isdigit()
    )
    assert compared + refused == 150
    assert compared > 60
    assert refused - by_row <= 2  # a hold-out that took everything has no row


def typed_by_content(source, schema, node_column=None, progress=None):
    """How the reader was before: pandas guesses a type from everything that is in a column."""
    frame = pd.read_csv(source, keep_default_na=False)
    return schema.records(frame), frame[node_column].astype(str).to_numpy(dtype=object)


def held_out_by_place(records, holders):
    """How the hold-out was before: by where in the file a record stands."""
    return np.arange(len(records)) % 10 == 0


def swallowing(source, schema, node_column=None, progress=None):
    """A reader that cuts what is out of the ordinary instead of refusing it: bad lines are skipped, both."""
    frame = pd.read_csv(source, dtype=str, keep_default_na=False, on_bad_lines="skip", engine="python")
    odd = ~frame["zip"].isin(["01", "1", "A"])
    if odd.any():
        frame = frame[: int(np.argmax(odd))]
    return schema.records(frame), frame[node_column].to_numpy(dtype=object)


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("read_records", typed_by_content),
        ("read_records", swallowing),
        ("held_out_by_content", held_out_by_place),
    ],
)
def test_readers_whose_cells_depend_on_one_another_are_found(name, planted, scenario, monkeypatch):
    monkeypatch.setattr(securenb.data.own, name, planted)
    finding = audited(scenario)
    assert finding.verdict == "FAIL", finding.evidence
    assert "witness: " in finding.evidence


def test_the_command_begins_with_the_file(scenario, capsys):
    own = [scenario.dataset, "--schema", scenario.schema_file, "--node-column", "site"]
    assert main(["audit", *own, "--protocol", "masking", "--epsilon", "1", "--level", "file"]) == 0
    assert "edits compared" in capsys.readouterr().out
    assert main(["audit", "phishing", "--epsilon", "1", "--level", "file"]) == MISTAKE
    assert "'phishing' is none" in capsys.readouterr().err


@pytest.mark.parametrize("part", [0, 1], ids=["quoted", "plain"])
def test_no_edit_of_a_line_moves_the_statistics_beyond_the_reach(part):
    """`python3 run.py evidence line_edits` tries 100,000."""
    claim = LineEdits()
    assert claim.holds([found := claim.measure(part, 700)]), found


def test_what_moves_too_far_is_told_by_what_moved():
    one = Statistics.of(
        LINE_SCHEMA, LINE_SCHEMA.records({"x": ["1"], "n": ["5"], "m": ["1"], "y": ["a"]})
    ).vector()
    zero = np.zeros_like(one)
    assert not excess(LINE_SCHEMA, {"p": zero}, {"p": one}, 1)
    assert "class count count moved by 2, and 1 record(s) are charged for 1" in excess(
        LINE_SCHEMA, {"p": zero}, {"p": 2 * one}, 1
    )
    assert "moved by 2" in excess(LINE_SCHEMA, {"p": one}, {"q": one}, 1)
    assert not excess(LINE_SCHEMA, {"p": one}, {"q": one}, 2)
