"""Results as CSV files, in which no cell is empty for something that has a word."""

from pathlib import Path

import pandas as pd

ALL = "all"
"""The word for one group of all nodes; pivots drop rows whose key is empty."""


def worded(table: pd.DataFrame) -> pd.DataFrame:
    """Results in which a group of all is `ALL`."""
    if "group_size" not in table:
        return table
    sizes = [ALL if pd.isna(size) else size if size == ALL else int(size) for size in table["group_size"]]
    return table.assign(group_size=pd.Series(sizes, index=table.index, dtype=object))


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write results, `worded`."""
    worded(table).to_csv(path, index=False)


def read_table(path: Path) -> pd.DataFrame:
    """Inverse of `write_table`: a group of all is not-a-number, so that sizes are numbers."""
    table = pd.read_csv(path)
    if "group_size" in table:
        sizes = table["group_size"].astype(object)
        table = table.assign(group_size=pd.to_numeric(sizes.where(sizes != ALL)))
    return table
