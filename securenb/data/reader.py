"""The one way from what people have to codes, for training, attacks, audits, deployments and predictions.

A chunk at a time, and only the codes are kept: 4 bytes a feature. Everything that does not fit the schema
is refused with its row and column; rows are counted like a spreadsheet does, the header being row 1.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.data.csv_rows import Chunk
from securenb.data.source import Source, opened
from securenb.schema.cells import Codes, Column, look_up, numbers, shown, texts
from securenb.schema.records import Records
from securenb.schema.schema import Schema, Table

Names = NDArray[np.object_]


def read_records(
    source: Source,
    schema: Schema,
    node_column: str | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Records, Names | None]:
    """Records, and for each the name of the node that holds it if there is such a column.

    Parameters
    ----------
    source
        A file, ``Path("-")`` for standard input, or a table.
    node_column
        A column with the name of a node in every row.
    progress
        Called with the number of rows read so far.

    Raises
    ------
    ValueError
        If the source cannot be read, is not UTF-8, has no rows, lacks a column or has one twice, or has a
        value that the schema does not have; one line, with file, row and column.
    """
    wanted = [*(feature.name for feature in schema.features), schema.label]
    wanted += [] if node_column is None else [node_column]
    records: list[Records] = []
    names: list[Names] = []
    known: dict[str, str] = {}
    done = 0
    with opened(source) as chunks:
        for chunk in chunks:
            check_columns(chunk.table, wanted)
            if not chunk.rows:
                continue
            records.append(schema.records(chunk.table, chunk.rows))
            if node_column is not None:
                names.append(_node_names(chunk.table[node_column], node_column, chunk.rows, known))
            done += len(chunk.rows)
            progress(done)
        if not done:
            raise ValueError("has a header and no rows")
    return Records.concatenate(*records), np.concatenate(names) if names else None


def read_codes(source: Source, schema: Schema) -> Iterator[tuple[Chunk, Codes]]:
    """Codes for prediction, chunk by chunk: no label is needed, and what the schema lacks is `UNKNOWN`.

    Raises
    ------
    ValueError
        As `read_records`, but for values.
    """
    with opened(source) as chunks:
        for chunk in chunks:
            check_columns(chunk.table, [feature.name for feature in schema.features])
            yield chunk, schema.encode(chunk.table)


def read_table(source: Source, schema: Schema) -> pd.DataFrame:
    """Features and label as they came; out of a text file, numbers are floats and the rest is text."""
    names = [*(feature.name for feature in schema.features), schema.label]
    measured = {feature.name for feature in schema.features if feature.bounds is not None}
    tables = []
    with opened(source) as chunks:
        for chunk in chunks:
            if isinstance(chunk.table, pd.DataFrame):
                tables.append(chunk.table[names])
            elif chunk.rows:
                cells = {name: chunk.table[name] for name in names}
                of = {name: numbers if name in measured else texts for name in names}
                tables.append(pd.DataFrame({name: of[name](column) for name, column in cells.items()}))
    return pd.concat(tables, ignore_index=True)


def check_columns(table: Table, wanted: Sequence[str]) -> None:
    """Raise `ValueError` unless there is each column that is wanted, once."""
    names = list(table.columns) if isinstance(table, pd.DataFrame) else list(table)
    if not names:
        raise ValueError("has no columns")
    if absent := sorted({name for name in wanted if name not in names}):
        hint = f"; the header is one field, {shown(str(names[0]))}: commas must separate fields"
        many = "s" if len(absent) > 1 else ""
        raise ValueError(
            f"missing column{many} {', '.join(map(repr, absent))}{hint if len(names) == 1 else ''}"
        )
    if twice := sorted(name for name in set(wanted) if names.count(name) > 1):
        raise ValueError(f"has column {twice[0]!r} twice")


def _node_names(column: Column, name: str, rows: Sequence[int], known: dict[str, str]) -> Names:
    """The node of each row; equal names are one object, as there are many rows and few nodes."""
    found: list[str] = []

    def place(text: str) -> int:
        found.append(known.setdefault(text, text))
        return len(found) - 1

    places = look_up(column, place)
    names = np.array([*found, None], dtype=object)[places]
    if (absent := names == "").any():
        raise ValueError(f"row {rows[int(absent.argmax())]}, column {name!r}: names no node")
    return names
