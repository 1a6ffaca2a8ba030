"""Where tables come from: CSV as it is or gzipped, Parquet, standard input, or a table in memory.

What a file is, its first bytes say, whatever its name. It is opened once and read from its beginning to its
end, so it may be a pipe.
"""

import gzip
import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

import pandas as pd

from securenb.data.csv_rows import Chunk, csv_chunks

STDIN = Path("-")
"""Standard input."""

CHUNK_ROWS = 50_000
"""Rows of a Parquet file or of a table in memory that are encoded at once."""

Source = Path | pd.DataFrame


@contextmanager
def opened(source: Source) -> Iterator[Iterator[Chunk]]:
    """The rows of a source, chunk by chunk; the first chunk may be empty, and tells the columns.

    Raises
    ------
    ValueError
        One line that names the source, for what goes wrong with it, here and inside the block.
    """
    name = (
        "the table" if isinstance(source, pd.DataFrame) else "standard input" if source == STDIN else source
    )
    try:
        with closing(_chunks(source)) as chunks:
            yield chunks
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise ValueError(f"{name}: is gzipped, and damaged or cut off") from None
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror or str(error).splitlines()[0]}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _chunks(source: Source) -> Generator[Chunk, None, None]:
    if isinstance(source, pd.DataFrame):
        yield from _of_frame(source)
    elif source == STDIN:
        yield from _of_stream(cast(BufferedReader, sys.stdin.buffer))
    else:
        with source.open("rb") as stream:
            yield from _of_stream(stream)


def _of_stream(stream: BufferedReader) -> Generator[Chunk, None, None]:
    magic = stream.peek(4)[:4]
    if magic == b"PAR1":
        from securenb.data.parquet import parquet_chunks

        if not stream.seekable():
            raise ValueError("is Parquet, which cannot be read from a pipe")
        yield from parquet_chunks(stream, CHUNK_ROWS)
    elif magic == b"PK\x03\x04":
        raise ValueError("is a zip archive or a spreadsheet; save it as CSV")
    elif magic[:2] == b"\x1f\x8b":
        yield from csv_chunks(cast(BinaryIO, gzip.GzipFile(fileobj=stream)))
    else:
        yield from csv_chunks(stream)


def _of_frame(frame: pd.DataFrame) -> Generator[Chunk, None, None]:
    """Rows are numbered as in the CSV file that would be written of it."""
    table = frame.rename(columns=lambda name: name.strip() if isinstance(name, str) else name)
    for start in range(0, max(len(table), 1), CHUNK_ROWS):
        piece = table.iloc[start : start + CHUNK_ROWS]
        yield Chunk(range(start + 2, start + 2 + len(piece)), piece)
