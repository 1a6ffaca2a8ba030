"""Results as CSV files, in which no cell is empty for something that has a word."""

from pathlib import Path
from typing import Any

import pandas as pd

NOTHING = {
    "group_size": "all",
    "label_skew": "none",
    "cap_ratio": "none",
    "record_cap": "none",
    "delta": "none",
    "test_records": "all",
    "selection": "auto",
    "claimed": "none",
    "witnesses": "none",
}
"""Choices that are a number or a word: one group of all; labels alike everywhere; nothing capped or claimed.

Pivots drop rows whose key is empty, so the word is written. What stays empty is a figure that there is none
of, and `failure` where nothing failed.
"""


def worded(table: pd.DataFrame) -> pd.DataFrame:
    """Results in which a choice that is no number is its word, and a group's size a whole number."""
    for name in NOTHING.keys() & set(table.columns):
        words = [_worded(name, value) for value in table[name]]
        table = table.assign(**{name: pd.Series(words, index=table.index, dtype=object)})
    return table


def _worded(name: str, value: Any) -> Any:
    if pd.isna(value) or value == NOTHING[name]:
        return NOTHING[name]
    return int(value) if float(value).is_integer() else float(value)


def write_table(table: pd.DataFrame, path: Path, digits: str | None = None) -> None:
    """Write results, `worded`, floats formatted as `digits` says: the one writer of results as CSV."""
    worded(table).to_csv(path, index=False, float_format=digits)


def read_table(path: Path) -> pd.DataFrame:
    """Inverse of `write_table`: what is no number is not-a-number, so that the others are numbers.

    Only an empty cell is missing: a class may be called NA or None.
    """
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    for name in NOTHING.keys() & set(table.columns):
        values = table[name].astype(object)
        table = table.assign(**{name: pd.to_numeric(values.where(values != NOTHING[name]))})
    return table
