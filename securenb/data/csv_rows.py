"""Splits a CSV file into cells, strictly: RFC 4180, UTF-8, every row as long as the header.

What RFC 4180 leaves open is refused, so that a line cannot change how other lines are split: outside
quotation marks there is no quotation mark and no carriage return. Every mark then opens or closes a
quotation, and a line that leaves one open leaves the file with one open, which is refused too.
"""

import csv
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from securenb.schema.cell_bytes import Block, CellBytes
from securenb.schema.schema import Table

BLOCK = 1 << 18
"""Bytes, and the rest of the last line, whose cells are in memory at once: few enough for a cache."""

COMMA, LINE_FEED, RETURN, MARK = b',\n\r"'

_BEFORE_MARKS = np.isin(np.arange(256), [COMMA, LINE_FEED, MARK])
_AFTER_MARKS = np.isin(np.arange(256), [COMMA, LINE_FEED, RETURN, MARK])
"""Which bytes may stand before a mark that opens a quotation, and after one that closes it."""

_QUOTED = re.compile(r'"(?:[^"]++|"")*+"')
_CELL = rf'(?:{_QUOTED.pattern}|[^",\r\n]*+)'
_ROW = re.compile(rf"{_CELL}(?:,{_CELL})*+\r?\n?")
_BEGINNING = re.compile(rf"(?:{_CELL},)*+")

Cells = list[str]


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table.

    Attributes
    ----------
    rows
        The number of each: like a spreadsheet's, so that the header is row 1 and blank rows count.
    table
        Their cells by the names of the columns.
    """

    rows: Sequence[int]
    table: Table


def csv_chunks(stream: BinaryIO) -> Generator[Chunk, None, None]:
    """The rows of a CSV file after its header; the first chunk may be empty, and tells the columns.

    Raises
    ------
    ValueError
        If it is not the table that the module describes, naming the row, and where it can the column.
    """
    first = _text(stream.readline()).removeprefix("\ufeff")
    if not first:
        raise ValueError("is empty")
    header = _header(next(_records(first, stream, 0, None)))
    width, row = len(header), 1
    yield Chunk(range(0), dict.fromkeys(header, ()))
    while content := stream.read(BLOCK):
        content += stream.readline()
        columns: Sequence[Sequence[str]] | None = _plain(content, width)
        if columns is not None:
            rows: Sequence[int] = range(row + 1, row + 1 + len(columns[0]))
            row = rows[-1]
        else:
            records = list(_records(_text(content), stream, row, header))
            kept = [(at, cells) for at, cells in enumerate(records, row + 1) if not _is_blank(cells)]
            for at, cells in kept:
                if len(cells) != width:
                    raise ValueError(f"row {at}: has {len(cells)} fields, and the header {width}")
            row += len(records)
            rows = [at for at, _ in kept]
            columns = [[cells[place] for _, cells in kept] for place in range(width)]
        if rows:
            yield Chunk(rows, dict(zip(header, columns, strict=True)))


def _text(content: bytes) -> str:
    """Text in which bytes that are no UTF-8 are lone surrogates, which no text has: found in their row."""
    return content.decode("utf-8", errors="surrogateescape")


def _plain(content: bytes, width: int) -> list[CellBytes] | None:
    """The columns of lines that can be split many cells at a time; `None` if there may be more to them."""
    if width < 2:
        return None
    if not content.isascii():
        try:
            content.decode()
        except UnicodeDecodeError:
            return None
    if not content.endswith(b"\n"):
        content += b"\n"
    split = _separated(content) if b'"' not in content else _unquoted(content)
    if split is None:
        return None
    block, ends, is_line_end = split
    if len(ends) % width:
        return None
    line_ends = is_line_end.reshape(-1, width)
    if not line_ends[:, -1].all() or line_ends[:, :-1].any():
        return None
    starts = np.concatenate([[0], ends[:-1] + 1]).reshape(-1, width)
    stops = ends.reshape(-1, width)
    if (stops - starts).max() > csv.field_size_limit():
        return None
    return [
        CellBytes(block, np.ascontiguousarray(starts[:, place]), np.ascontiguousarray(stops[:, place]))
        for place in range(width)
    ]


Split = tuple[Block, NDArray[np.intp], NDArray[np.bool_]]
"""Lines, the places of the separators in them, and which of these end a line."""


def _separated(content: bytes) -> Split | None:
    """Lines in which there is no quotation: every comma separates."""
    content = content.replace(b"\r\n", b"\n")
    if b"\r" in content:
        return None
    block = Block(content)
    ends = np.flatnonzero((block.bytes == COMMA) | (block.bytes == LINE_FEED))
    return block, ends, block.bytes[ends] == LINE_FEED


def _unquoted(content: bytes) -> Split | None:
    """Lines without the marks of their quotations; `None` unless RFC 4180 allows every mark.

    Marks open and close quotations in turn. One that opens must follow a separator, or the mark that
    closed before it; one that closes must precede a separator or that mark. Two in a row inside of a
    quotation are thereby one that closes and one that opens, and the first of them is the text's. A
    carriage return inside of a quotation is left to the way that looks at each row.
    """
    found = np.frombuffer(b"\n" + content, dtype=np.uint8)
    before, here = found[:-1], found[1:]
    marks = np.flatnonzero(here == MARK)
    opening, closing = marks[::2], marks[1::2]
    if len(opening) > len(closing):
        return None
    after = here[closing + 1]
    if not (_BEFORE_MARKS[before[opening]].all() and _AFTER_MARKS[after].all()):
        return None
    returns = np.flatnonzero(here == RETURN)
    if (here[returns + 1] != LINE_FEED).any() or (np.searchsorted(marks, returns) % 2).any():
        return None
    separators = np.flatnonzero((here == COMMA) | (here == LINE_FEED))
    is_outside = np.searchsorted(marks, separators) % 2 == 0
    kept = np.ones(len(here), dtype=np.bool_)
    kept[opening] = False
    kept[closing[after != MARK]] = False
    kept[returns] = False
    ends = separators[is_outside]
    is_line_end = here[ends] == LINE_FEED
    return Block(here[kept].tobytes()), (np.cumsum(kept) - 1)[ends], is_line_end


def _is_blank(cells: Cells) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _header(cells: Cells) -> list[str]:
    if any("\x00" in name for name in cells):
        raise ValueError("row 1 has a NUL in it: this is no text in UTF-8; is it UTF-16, or no table at all?")
    if _is_blank(cells):
        raise ValueError("row 1 is blank; the first row must name the columns")
    names = [name.strip() for name in cells]
    # columns without a name, such as an index, cannot be asked for
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise ValueError(f"has column {twice[0]!r} twice")
    return names


def _records(text: str, stream: BinaryIO, before: int, header: Cells | None) -> Iterator[Cells]:
    """The cells of the rows that begin in `text`, each checked to the letter.

    A quotation may take more lines of the file.

    Parameters
    ----------
    before
        The number of the last row before them.
    """
    taken: list[str] = []

    def feed() -> Iterator[str]:
        for line in chain(StringIO(text, newline="\n"), map(_text, stream)):
            taken.append(line)
            yield line

    reader = csv.reader(feed(), strict=True)
    count = text.count("\n") + (not text.endswith("\n"))
    row = before
    while reader.line_num < count:
        row += 1
        try:
            cells = next(reader)
        except csv.Error as error:
            raise ValueError(f"row {row}{_complaint(str(error), ''.join(taken), header)}") from None
        raw = "".join(taken)
        taken.clear()
        if not _ROW.fullmatch(raw):
            raise ValueError(f"row {row}{_complaint('', raw, header)}")
        if not _is_utf8(raw):
            raise ValueError(f"row {row}{_column(_first_without_utf8(raw), header)}: is not UTF-8")
        yield cells


def _complaint(reason: str, raw: str, header: Cells | None) -> str:
    """What is wrong with a row that is none: the column, where it can be told, and why."""
    if "field limit" in reason:
        return f": a cell is longer than {csv.field_size_limit():,} characters; is a quotation open?"
    beginning = _BEGINNING.match(raw)
    assert beginning is not None  # it may be empty
    rest = raw[beginning.end() :]
    column = _column(len(next(csv.reader([f"{beginning[0]}."]))) - 1, header)
    if rest.startswith('"') and not _QUOTED.match(rest):
        return f"{column}: opens a quotation that never ends"
    if '"' not in rest.partition(",")[0]:
        return f"{column}: has a carriage return inside; lines must end with a line feed"
    return (
        f"{column}: has a quotation mark out of place: a cell with one is quoted as a whole, the mark doubled"
    )


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _first_without_utf8(raw: str) -> int:
    cells = next(csv.reader(StringIO(raw, newline="\n")))
    return next(at for at, cell in enumerate(cells) if not _is_utf8(cell))


def _column(at: int, header: Cells | None) -> str:
    return f", column {header[at]!r}" if header and at < len(header) else f", column {at + 1}"
