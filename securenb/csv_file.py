"""Reads labelled records from a CSV file of any length, a chunk at a time.

Only the encoded records are kept: 4 bytes a feature. Everything that does not fit the schema is refused
with its row and column; rows are counted like a spreadsheet does, the header being row 1.
"""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.feature import Categorical
from securenb.records import Records
from securenb.schema import Schema

CHUNK_ROWS = 250_000

Names = NDArray[np.object_]


def read_records(
    path: Path,
    schema: Schema,
    node_column: str | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Records, Names | None]:
    """Records, and for each the name of the node that holds it if there is such a column.

    Parameters
    ----------
    node_column
        A column with the name of a node in every row.
    progress
        Called with the number of rows read so far.

    Raises
    ------
    ValueError
        If the file cannot be read, is not UTF-8, has no rows, lacks a column or has one twice, or has a
        value that the schema does not have; one line, with file, row and column.
    """
    try:
        header = _header(path)
        parts: list[Records] = []
        names: list[Names] = []
        row = 2
        for chunk in _chunks(path, schema, header, node_column):
            parts.append(schema.records(chunk, first_row=row))
            if node_column is not None:
                names.append(_node_names(chunk[node_column], row))
            row += len(chunk)
            progress(row - 2)
        if not parts:
            raise ValueError("has a header and no rows")
        return Records.concatenate(*parts), np.concatenate(names) if names else None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not UTF-8 ({error.reason} at byte {error.start})") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file), None)
    if not header:
        raise ValueError("is empty")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"has column {twice[0]!r} twice")
    return header


def _chunks(path: Path, schema: Schema, header: list[str], node_column: str | None) -> "pd.io.parsers.TextFileReader":
    text = [feature.name for feature in schema.features if isinstance(feature, Categorical)]
    text += [schema.label, *([] if node_column is None else [node_column])]
    wanted = [*(feature.name for feature in schema.features), schema.label]
    wanted += [] if node_column is None else [node_column]
    if absent := [name for name in wanted if name not in header]:
        raise ValueError(f"missing column{'s' if len(absent) > 1 else ''} {', '.join(map(repr, absent))}")
    return pd.read_csv(
        path,
        usecols=wanted,
        # text stays text: "NA" may be a level, and "01" is not 1
        dtype=dict.fromkeys(text, "category"),
        keep_default_na=False,
        encoding="utf-8-sig",
        chunksize=CHUNK_ROWS,
        low_memory=False,
    )


def _node_names(column: "pd.Series[str]", first_row: int) -> Names:
    names = column.astype("object").str.strip().to_numpy(dtype=object)
    empty = np.flatnonzero(names == "")
    if len(empty):
        raise ValueError(f"row {first_row + empty[0]}, column {column.name!r}: names no node")
    return names
