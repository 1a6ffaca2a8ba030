"""Seeded rounds and sweeps give what they gave before."""

import json
import os
from pathlib import Path

import pytest

from securenb.cli.main import main
from tests.golden.rounds import DOWNLOADED, RECORDED, SCENARIOS, measured

SWEEPS = sorted((Path(__file__).parent / "sweeps").glob("*.toml"))


@pytest.mark.parametrize("name", SCENARIOS)
def test_rounds_are_what_they_were(name):
    if SCENARIOS[name]["dataset"] in DOWNLOADED and "SECURENB_DATA" not in os.environ:
        pytest.skip("SECURENB_DATA is not set")
    assert measured(SCENARIOS[name]) == json.loads(RECORDED.read_text())[name]


@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda path: path.stem)
def test_sweeps_are_what_they_were(sweep, tmp_path):
    assert main(["run", str(sweep), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    assert (tmp_path / "out" / "results.csv").read_text() == sweep.with_suffix(".csv").read_text()
