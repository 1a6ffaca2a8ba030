"""A user's own records as a data set: a CSV file and a schema that the user wrote."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from securenb.data.dataset import Dataset, held_out
from securenb.data.reader import read_records
from securenb.schema.toml import read_schema

SUFFIX = ".csv"


def load_csv(
    path: Path,
    schema_path: Path,
    *,
    label: str | None = None,
    node_column: str | None = None,
    test_path: Path | None = None,
    numeric: Literal["gaussian", "histogram"] = "gaussian",
    progress: Callable[[int], None] = lambda _: None,
) -> Dataset:
    """Records of a CSV file, with the user's schema.

    Parameters
    ----------
    schema_path
        A TOML file, see `docs/data.md`. Its bounds and levels are public, so they must not come from
        the records.
    label
        The label's column, if it is not the one that the schema names.
    node_column
        The column that names the node of each record.
    test_path
        Records to be judged on; without it, one record in ten is held out.

    Raises
    ------
    ValueError
        One line that names file, row and column, or what in the schema is wrong.
    """
    schema = read_schema(schema_path)
    if label is not None:
        schema = replace(schema, label=label)
    if numeric == "histogram":
        schema = schema.histogram()
    records, holders = read_records(path, schema, node_column, progress)
    if test_path is not None:
        test, _ = read_records(test_path, schema, None, progress)
        train = records
    else:
        mask = held_out(len(records), seed=0)
        train, test = records[~mask], records[mask]
        holders = None if holders is None else holders[~mask]
    if len(np.unique(train.labels)) < 2:
        only = schema.classes[int(train.labels[0])] if len(train) else "none"
        raise ValueError(f"{path}: all records are of one class ({only!r}); there is nothing to learn")
    # no digest: it would let whoever reads a manifest confirm a guess of private records
    return Dataset(path.stem, schema, train, test, "", holders)
