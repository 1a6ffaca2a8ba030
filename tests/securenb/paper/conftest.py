"""Data of the paper, loaded once, and a small synthetic set with everything in it."""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from securenb.data.dataset import DatasetUnavailable
from securenb.paper.records import PaperData, RawRecords, load_paper_data
from securenb.schema.features import Categorical, Numeric
from securenb.schema.schema import Schema

sys.path.insert(0, str(Path(__file__).parent))  # for the oracle, which the benchmark uses too


@pytest.fixture(scope="session")
def paper_data():
    """Loads a data set of the paper, or skips the test with the reason why it is not here."""

    @cache
    def load(name, mode="as-published"):
        try:
            return load_paper_data(name, mode)
        except DatasetUnavailable as error:
            pytest.skip(str(error))

    return load


@pytest.fixture(scope="session")
def toy():
    """600 records, two numeric and two categorical features, three classes, one of them rare."""
    rng = np.random.default_rng(0)
    schema = Schema(
        classes=("a", "b", "c"),
        features=(
            Numeric("x", -20, 20, edges=(-20, -5, 0, 5, 20)),
            Categorical("u", ("0", "1", "2")),
            Numeric("w", 0, 99, edges=(0, 1, 10, 99)),
            Categorical("v", ("0", "1")),
        ),
    )
    labels = rng.choice(3, p=(0.6, 0.38, 0.02), size=600)
    frame = pd.DataFrame(
        {
            "x": rng.normal(labels - 1, 2),
            "u": ((labels + rng.integers(0, 2, 600)) % 3).astype(str),
            "w": np.where(rng.random(600) < 0.9, 0, rng.integers(0, 99, 600)) * (labels == 1),
            "v": rng.integers(0, 2, 600).astype(str),
            "label": np.array(schema.classes)[labels],
        }
    )
    parts = frame[:500], frame[500:]
    raw = [RawRecords.of(schema, part) for part in parts]
    coded = [schema.records(part) for part in parts]
    return PaperData("toy", schema, *raw, *coded)
