"""Reads labelled records from a CSV file of any length, a chunk at a time.

Only the encoded records are kept: 4 bytes a feature. Everything that does not fit the schema is refused
with its row and column; rows are counted like a spreadsheet does, the header being row 1.
"""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.schema.feature import Categorical
from securenb.schema.records import Records
from securenb.schema.schema import Schema

UNREADABLE = "\N{REPLACEMENT CHARACTER}"
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
        return _read(path, schema, node_column, progress)
    except UnicodeDecodeError:
        raise ValueError(f"{path}: {_not_utf8(path)}") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {_in_our_words(str(error).strip())}") from None


def _read(
    path: Path, schema: Schema, node_column: str | None, progress: Callable[[int], None]
) -> tuple[Records, Names | None]:
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
    if row == 2:
        raise ValueError("has a header and no rows")
    return Records.concatenate(*parts), np.concatenate(names) if names else None


def _not_utf8(path: Path) -> str:
    """Where the first bytes are that are not UTF-8: row and column, if the row can be told."""
    names: list[str] = []
    with path.open("rb") as file:
        for row, line in enumerate(file, 1):
            text = line.decode("utf-8-sig", errors="replace")
            try:
                fields = next(csv.reader([text]), [])
            except csv.Error:
                return f"row {row}: is not UTF-8"
            names = names or fields
            for position, field in enumerate(fields):
                if UNREADABLE in field:
                    column = repr(names[position]) if row > 1 and position < len(names) else position + 1
                    return f"row {row}, column {column}: is not UTF-8"
    return "is not UTF-8"


def _in_our_words(reason: str) -> str:
    """What pandas says of a file that it cannot split into fields, with the row as a spreadsheet counts."""
    if surplus := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", reason):
        header, row, fields = surplus.groups()
        return f"row {row}: has {fields} fields, and the header {header}"
    if unclosed := re.search(r"EOF inside string starting at row (\d+)", reason):
        return f"row {int(unclosed[1]) + 1}: opens a quotation that never ends"
    return reason


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next(csv.reader(file), None)
    if not header:
        raise ValueError("is empty")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"has column {twice[0]!r} twice")
    return header


def _chunks(path: Path, schema: Schema, header: list[str], node_column: str | None) -> Iterator[pd.DataFrame]:
    text = [feature.name for feature in schema.features if isinstance(feature, Categorical)]
    text += [schema.label, *([] if node_column is None else [node_column])]
    wanted = {*(feature.name for feature in schema.features), *text}
    if absent := sorted(wanted - set(header)):
        hint = (
            ""
            if len(header) > 1
            else f"; the header is one field, {header[0]!r}: commas must separate fields"
        )
        many = "s" if len(absent) > 1 else ""
        raise ValueError(f"missing column{many} {', '.join(map(repr, absent))}{hint}")
    chunks = pd.read_csv(
        path,
        # not `usecols`: with it, rows that are longer than the header would pass, cut off. Text stays
        # text: "NA" may be a level, and "01" is not 1; columns of no interest are read the cheap way
        dtype=dict.fromkeys([*text, *(name for name in header if name not in wanted)], "category"),
        keep_default_na=False,
        encoding="utf-8-sig",
        chunksize=CHUNK_ROWS,
        low_memory=False,
    )
    with chunks:
        for chunk in chunks:
            surplus = not isinstance(chunk.index, pd.RangeIndex)
            if surplus:  # pandas takes a surplus field for an index
                raise ValueError(f"rows have more fields than the header, which has {len(header)}")
            yield chunk


def _node_names(column: "pd.Series[str]", first_row: int) -> Names:
    names = column.astype("object").str.strip().to_numpy(dtype=object)
    empty = np.flatnonzero(names == "")
    if len(empty):
        raise ValueError(f"row {first_row + empty[0]}, column {column.name!r}: names no node")
    return names
