"""A user's own records as a data set: a file or a table, and a schema that the user wrote."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.data.dataset import Dataset, load_dataset
from securenb.data.hold_out import ONE_IN, held_out_by_content
from securenb.data.reader import Names, read_records, read_table
from securenb.data.source import STDIN, Source
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.toml import read_schema

ENDINGS = (".csv", ".txt", ".tsv", ".gz", ".parquet", ".pq", ".data")
"""What the names of files end with; a name with a folder in it, or of a file that is there, is one too."""


def is_file(dataset: str) -> bool:
    """Whether this is a user's file, or ``-`` for standard input, and no name of a data set."""
    if ".py:" in dataset:  # a data set that a file of Python defines
        return False
    named = dataset.lower().endswith(ENDINGS) or "/" in dataset or "\\" in dataset
    return named or dataset == str(STDIN) or Path(dataset).exists()


@dataclass(frozen=True)
class Own:
    """How to read a file of the user's; all empty for a data set of the catalogue.

    Attributes
    ----------
    schema_file, label, node_column, test_file
        See `load_file`.
    """

    schema_file: str | None = None
    label: str | None = None
    node_column: str | None = None
    test_file: str | None = None

    def check(self, dataset: str) -> None:
        """Raise `ValueError` unless this goes with the data set: a file needs a schema, others none of it."""
        given = [name for name, value in vars(self).items() if value]
        if is_file(dataset) and self.schema_file is None:
            raise ValueError(f"{dataset} needs a schema file (--schema)")
        if given and not is_file(dataset):
            raise ValueError(f"{given[0]} goes with a file of your own, and {dataset!r} is none")

    def load(
        self,
        dataset: str,
        numeric: Literal["gaussian", "histogram"] = "gaussian",
        progress: Callable[[int], None] = lambda _: None,
    ) -> Dataset:
        """A data set by its name, or the file of that name."""
        if not is_file(dataset):
            return load_dataset(dataset, numeric=numeric)
        assert self.schema_file is not None
        return load_file(
            Path(dataset),
            Path(self.schema_file),
            label=self.label,
            node_column=self.node_column,
            test_path=None if self.test_file is None else Path(self.test_file),
            numeric=numeric,
            progress=progress,
        )


def load_file(
    path: Path,
    schema_path: Path,
    *,
    label: str | None = None,
    node_column: str | None = None,
    test_path: Path | None = None,
    numeric: Literal["gaussian", "histogram"] = "gaussian",
    progress: Callable[[int], None] = lambda _: None,
) -> Dataset:
    """Records of a file, with the user's schema.

    Parameters
    ----------
    path
        CSV, gzipped or not, or Parquet; ``Path("-")`` for standard input.
    schema_path
        A TOML file, see `docs/how-to/own-data.md`. Its bounds and levels are public, so they must not come
        from the records.
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
    name = "standard input" if path == STDIN else path.name.split(".")[0] or path.name
    return _data_set(name, path, schema, node_column, test_path, progress)


def from_frame(
    frame: pd.DataFrame, schema: Schema, *, node: str | None = None, test: pd.DataFrame | None = None
) -> Dataset:
    """Records of a table; each cell means what it means in the CSV file of the same table.

    Parameters
    ----------
    node
        The column that names the node of each record.
    test
        Records to be judged on; without it, one record in ten is held out.

    Raises
    ------
    ValueError
        One line that names row and column, or what is no table or schema.
    """
    for name, given, kind in (("frame", frame, pd.DataFrame), ("schema", schema, Schema)):
        if not isinstance(given, kind):
            raise ValueError(f"{name} must be a {kind.__name__}, not a {type(given).__name__}")  # noqa: TRY004
    if test is not None and not isinstance(test, pd.DataFrame):
        raise ValueError(f"test must be a DataFrame, not a {type(test).__name__}")
    return _data_set("table", frame, schema, node, test, lambda _: None)


def _data_set(
    name: str,
    source: Source,
    schema: Schema,
    node_column: str | None,
    test_source: Source | None,
    progress: Callable[[int], None],
) -> Dataset:
    where = "the table" if isinstance(source, pd.DataFrame) else source
    records, holders = read_records(source, schema, node_column, progress)
    if test_source is not None:
        test, _ = read_records(test_source, schema)
        out = np.zeros(len(records), dtype=np.bool_)
    else:
        out = held_out_by_content(records, holders)
        test = records[out]
        _check_hold_out(where, schema, records, holders, out)
    train = records[~out]
    if len(np.unique(train.labels)) < 2:
        only = schema.classes[int(train.labels[0])]
        raise ValueError(f"{where}: all records are of one class ({only!r}); there is nothing to learn")
    # no digest: it would let a reader of the manifest confirm a guess of private records
    again = STDIN not in (source, test_source) if isinstance(source, Path) else True
    tables = partial(_tables, source, test_source, schema, out) if again else None
    return Dataset(name, schema, train, test, "", None if holders is None else holders[~out], tables)


def _check_hold_out(
    where: object, schema: Schema, records: Records, holders: Names | None, out: NDArray[np.bool_]
) -> None:
    """Raise `ValueError` where nothing was held out, or too much."""
    remedy = "give records to be judged on (--test FILE)"
    if not out.any():
        raise ValueError(
            f"{where}: of its {len(records)} records none was held out, 1 in {ONE_IN} is; {remedy}"
        )
    kept = records.labels[~out]
    for label in np.setdiff1d(records.labels, kept).tolist():
        gone = f"class {schema.classes[label]!r}"
        raise ValueError(f"{where}: the hold-out of 1 in {ONE_IN} took every record of {gone}; {remedy}")
    if holders is not None:
        for holder in np.setdiff1d(holders.astype(str), holders[~out].astype(str)).tolist():
            gone = f"node {holder!r}"
            raise ValueError(f"{where}: the hold-out of 1 in {ONE_IN} took every record of {gone}; {remedy}")


def _tables(
    source: Source, test_source: Source | None, schema: Schema, out: NDArray[np.bool_]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and test records as they came, see `Dataset.frame`."""
    table = read_table(source, schema)
    test = table[out] if test_source is None else read_table(test_source, schema)
    return table[~out], test
