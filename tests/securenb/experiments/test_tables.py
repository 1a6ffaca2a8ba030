"""Results as CSV files: one writer, no choice left empty, and read back as they were."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from attacks.sweeps.breakdown import BreakdownGrid
from attacks.sweeps.poisoning_grid import Study
from securenb.experiments import tables
from securenb.experiments.declare import word_of
from securenb.experiments.rounds import Sweep
from securenb.experiments.scenario import Scenario
from securenb.experiments.tables import NOTHING, read_table, write_table

ROOT = Path(__file__).resolve().parents[3]
RECORDS = {"attacks/audit/canary_files.py"}
"""Writes records, whose columns are a schema's and no choices."""


def test_results_have_one_writer():
    found = {
        str(path.relative_to(ROOT))
        for folder in ("securenb", "attacks", "protocols")
        for path in (ROOT / folder).rglob("*.py")
        if ".to_csv(" in path.read_text(encoding="utf-8")
    }
    assert found - RECORDS == {str(Path(tables.__file__).relative_to(ROOT))}


@pytest.mark.parametrize("kind", [Scenario, Study, Sweep, BreakdownGrid])
def test_choices_have_the_same_word_in_files_and_in_tables(kind):
    for name, field in kind.model_fields.items():
        if word_of(field) is not None:
            assert NOTHING[name] == word_of(field)


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("values", [[None, 2.0], [np.nan, np.nan], [3.0, 0.5], ["own word", 7]])
def test_a_choice_is_never_empty(name, values, tmp_path):
    values = [NOTHING[name] if value == "own word" else value for value in values]
    table = pd.DataFrame({name: values, "score": [0.5, np.nan]})
    write_table(table, tmp_path / "results.csv")
    kept = pd.read_csv(tmp_path / "results.csv", keep_default_na=False)
    assert (kept[name].astype(str) != "").all()
    assert kept.groupby(name).size().sum() == len(kept)
    back = read_table(tmp_path / "results.csv")[name].astype(float)
    wanted = pd.Series([np.nan if value == NOTHING[name] else value for value in values], dtype=float)
    pd.testing.assert_series_equal(back, wanted, check_names=False)


def test_classes_named_like_missing_values_are_read_back(tmp_path):
    table = pd.DataFrame({"label": ["NA", "None", "nan", "null"], "withstands": [1, 2, 3, 4]})
    write_table(table, tmp_path / "points.csv")
    pd.testing.assert_frame_equal(read_table(tmp_path / "points.csv"), table, check_dtype=False)
