"""Level `file`: one line more, less or different in the file itself, read as a round reads it.

What the ledger charges for is one record, but what a person adds is one line. So the file is edited, line by
line and in every spelling that files are known to have, both files are read by the product's own reader, and
the statistics must not move further than one record may. An edit that the reader refuses reveals nothing,
as no session opens; it is counted, and not compared.
"""

import csv
import gzip
import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attacks.audit.finding import Finding, Level
from protocols.ring import Integers
from securenb.data.partition import gather
from securenb.data.source import opened
from securenb.experiments.scenario import Scenario
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

FILE: Level = "file"
"""The name of the level."""

CHECK = "one line moves the statistics no further than one record"

LINES = 300
"""Lines that edits are tried among; of a longer file as many are taken, evenly."""

EDITS = 400
"""How many edits are tried."""

WHOLE = 4
"""How many are tried on the whole of a longer file, too."""

Moves = Mapping[str, Integers]
"""The statistics of each node, shape (d,)."""


@dataclass(frozen=True)
class Edit:
    """A file with one line more, less or different.

    Attributes
    ----------
    what
        What was done, with the line.
    lines
        All lines of the edited file.
    records
        How many records may differ: 1, or 2 where one was put in another's place.
    """

    what: str
    lines: Sequence[bytes]
    records: int


def edits(lines: Sequence[bytes], schema: Schema, rng: np.random.Generator) -> Iterator[Edit]:
    """Edits of a file without end, none of its header.

    Parameters
    ----------
    lines
        Of a CSV file, each with its end.
    """
    header = [name.strip() for name in next(csv.reader([lines[0].decode("utf-8-sig")]))]
    while True:
        at = int(rng.integers(1, len(lines) + 1))
        match int(rng.integers(5)):
            case 0 if len(lines) > 2:
                at = min(at, len(lines) - 1)
                yield Edit(f"removed {lines[at]!r}", [*lines[:at], *lines[at + 1 :]], 1)
            case 1:
                at = min(at, len(lines) - 1)
                new = _line(lines, at, header, schema, rng)
                yield Edit(f"put {new!r} for {lines[at]!r}", [*lines[:at], new, *lines[at + 1 :]], 2)
            case _:
                new = _line(lines, int(rng.integers(1, len(lines))), header, schema, rng)
                yield Edit(f"added {new!r}", [*lines[:at], new, *lines[at:]], 1)


def _line(
    lines: Sequence[bytes], like: int, header: Sequence[str], schema: Schema, rng: np.random.Generator
) -> bytes:
    """A line like one of the file, with one cell in another spelling or, now and then, no line at all."""
    text = lines[like].decode("utf-8", errors="surrogateescape").rstrip("\r\n")
    if rng.random() < 0.1:
        odd = ["", " ", "," * len(header), text + ",", text + ",x", text.rpartition(",")[0], ",".join(header)]
        odd += ["# a comment", f"{text}\r{text}", f'"{text}"', text.replace(",", ";"), f"{text}\x00"]
        return f"{odd[int(rng.integers(len(odd)))]}\n".encode("utf-8", errors="surrogateescape")
    try:
        cells = next(csv.reader([text]), [])
    except csv.Error:
        cells = []
    cells = (cells + [""] * len(header))[: len(header)]
    names = [*(feature.name for feature in schema.features), schema.label]
    places = [place for place, name in enumerate(header) if name in names] or list(range(len(header)))
    place = places[int(rng.integers(len(places)))]
    values = _values(header[place], cells[place], schema)
    cells[place] = values[int(rng.integers(len(values)))]
    if cells[place].count('"') % 2 and rng.random() < 0.5:  # as it is: it may open a quotation
        return f"{','.join(cells)}\n".encode("utf-8", errors="surrogateescape")
    out = io.StringIO()
    end = "\r\n" if rng.random() < 0.2 else "\n"
    csv.writer(out, lineterminator=end, quoting=csv.QUOTE_ALL if rng.random() < 0.2 else 0).writerow(cells)
    return out.getvalue().encode("utf-8", errors="surrogateescape")


def _values(name: str, cell: str, schema: Schema) -> Sequence[str]:
    """What a cell may be changed into: values of its column in every spelling, and what is none."""
    feature = next((feature for feature in schema.features if feature.name == name), None)
    if name == schema.label:
        own = schema.classes
    elif feature is None:
        own = ("0", "1", "-1e9", "1e9", "00.5")
    elif feature.bounds is None:
        own = tuple(map(str, feature.decode(np.arange(feature.size, dtype=np.int32))))
    else:
        lower, upper = feature.bounds
        middle = (lower + upper) / 2
        own = tuple(map(repr, (lower, upper, middle, 1e12, -1e12, 0.0)))
        own += (f"+{abs(middle)!r}", f"0{abs(int(middle))}", f"{int(middle)}", f"{int(middle)}e0")
    spelt = [
        cell,
        f" {cell} ",
        f"\t{cell}",
        f"\u00a0{cell}",
        f"{cell}\u2028",
        f"\ufeff{cell}",
        f"{cell}\u200b",
    ]
    spelt += [cell.upper(), cell.lower(), cell.swapcase(), f"0{cell}", f"{cell}.0", f'"{cell}', f'{cell}"']
    odd = ["", " ", "NA", "nan", "None", "null", "?", "TRUE", "true", "1,5", "1_0", "0x1f", "1e999", "-inf"]
    odd += ["\u0661", "9" * 400, "x" * 1000, "\x00", "\udcff", "two\nlines", "a\rb", '"', '""', "=1+1", "A"]
    # most edits should be accepted: what is refused tells nothing
    return [*(value for value in own for _ in range(1 + 40 // len(own))), *spelt, *odd]


def excess(schema: Schema, before: Moves, after: Moves, records: int) -> str:
    """How the statistics moved further than so many records may move them; empty if they did not."""
    width, classes = schema.width, len(schema.classes)
    zero = np.zeros(schema.length, dtype=np.int64)
    moved = np.zeros(schema.length, dtype=np.int64)
    for node in {*before, *after}:
        moved += np.abs(after.get(node, zero) - before.get(node, zero))
    table = moved.reshape(classes, width)
    for block in schema.blocks:
        distance, allowed = int(table[:, block.columns].sum()), records * block.reach
        if distance > allowed:
            what = f"{schema.column_name(block.start)} {block.kind}"
            return f"the {what} moved by {distance}, and {records} record(s) are charged for {allowed}"
    touched = int(np.count_nonzero(table.any(axis=1)))
    return f"{touched} classes moved" if touched > records else ""


def audit_file(
    scenario: Scenario,
    schema: Schema,
    rng: np.random.Generator,
    count: int = EDITS,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Finding]:
    """One finding about the file of a scenario.

    Parameters
    ----------
    count
        How many edits are tried.
    """
    path = Path(scenario.dataset)
    lines = _lines(path)
    if isinstance(lines, str):
        yield Finding(FILE, CHECK, "INCONCLUSIVE", lines)
        return
    some = _some(lines)
    compared, refused, named = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "edited.csv"

        def read(content: Sequence[bytes]) -> Moves:
            copy.write_bytes(b"".join(content))
            return _statistics(scenario.model_copy(update={"dataset": str(copy)}), schema)

        tries = [(some, count)] + ([(lines, WHOLE)] if len(some) < len(lines) else [])
        for base, times in tries:
            try:
                before = read(base)
            except ValueError as error:
                reason = str(error).replace(str(copy), path.name)
                yield Finding(FILE, CHECK, "INCONCLUSIVE", f"{len(base)} lines of it are refused: {reason}")
                return
            for _, edit in zip(range(times), edits(base, schema, rng), strict=False):
                progress("one line more, less or different")
                try:
                    after = read(edit.lines)
                except ValueError as error:
                    refused += 1
                    named += ": row " in str(error)
                    continue
                compared += 1
                if problem := excess(schema, before, after, edit.records):
                    yield Finding(FILE, CHECK, "FAIL", f"{problem}; witness: {edit.what[:200]}")
                    return
    evidence = f"{compared} edits compared, {refused} refused before any session ({named} by their row)"
    yield Finding(FILE, CHECK, "PASS" if compared else "INCONCLUSIVE", evidence)


def _lines(path: Path) -> Sequence[bytes] | str:
    """The lines of a CSV file, unpacked; or why there are none."""
    if not path.is_file():
        return f"{path} is no file that can be read twice"
    with opened(path) as chunks:
        if not isinstance(next(chunks).table, dict):
            return "only the lines of CSV files are edited"
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    lines = io.BytesIO(content).readlines()
    return [*lines[:-1], lines[-1].rstrip(b"\n") + b"\n"]


def _some(lines: Sequence[bytes]) -> Sequence[bytes]:
    """The header and some of the lines: evenly, or the first ones where a quotation may span several."""
    if len(lines) <= LINES + 1:
        return lines
    if not any(b'"' in line for line in lines):
        return [lines[0], *(lines[at] for at in np.linspace(1, len(lines) - 1, LINES).astype(int))]
    taken, marks = 0, 0
    for at, line in enumerate(lines[: 2 * LINES]):
        marks += line.count(b'"')
        taken = at + 1 if marks % 2 == 0 else taken
        if taken > LINES:
            break
    return lines[:taken]


def _statistics(scenario: Scenario, schema: Schema) -> Moves:
    """What each node would contribute, before its noise."""
    data = scenario.load()
    if data.holders is None:  # dealt at random, which a line more deals anew: all of it together
        return {"all": Statistics.of(schema, data.train).vector()}
    return {node.id: node.statistics(schema).vector() for node in gather(data.train, data.holders)}
