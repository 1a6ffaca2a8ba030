"""Proposes a schema from a file of public or synthetic records, for a person to edit.

Bounds and levels are read off the file, so the file must not be private: a reader of the schema learns
the smallest and largest value of each column. The file is read as it will be for training, and what is
proposed is accepted there.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from securenb.data.source import opened
from securenb.schema.cells import Column, numbers, shown, texts
from securenb.schema.features import Numeric

FEW = 20
"""Whole numbers with at most so many different values are proposed as levels."""

MOST_LEVELS = 50
"""Text with more different values than this is a name or a note, and is left out unless one asks for it."""

LONGEST = 100
"""Characters of the longest text that may be a level."""

SPELLINGS = frozenset({"NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", "#NULL!"})
"""What programs write for a missing value."""

UNNAMED = re.compile(r"Unnamed: \d+")

CODES = "codes with leading zeros"

LOOKS = {
    "dates": re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}.*"),
    "numbers with separators of thousands": re.compile(r"[+-]?\d{1,3}([,' ]\d{3})+(\.\d+)?"),
    "numbers with decimal commas": re.compile(r"[+-]?\d+,\d+"),
    "numbers with a unit or currency": re.compile(r"[$€£]\s*[\d.,]+|[\d.,]+\s*(%|[$€£]|[a-zA-Z]{1,3})"),
    CODES: re.compile(r"0\d+"),
}

WARNING = """\
# Proposed from {name}. Everything here is PUBLIC: bounds and levels must not come from records that you
# want to protect. Read every line, widen the bounds to what is publicly known, and delete what is not.
"""


@dataclass
class _Seen:
    """What a column holds.

    Attributes
    ----------
    first, words
        The row in which each text, and each that is no number, stands first; as many as may be levels.
    many
        Whether there are more texts.
    found
        Its numbers, chunk by chunk; not-a-number where there is none.
    empty
        The first row without a value.
    """

    most: int
    first: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    many: bool = False
    found: list[NDArray[np.float64]] = field(default_factory=list)
    empty: int | None = None

    def take(self, column: Column, rows: Sequence[int]) -> None:
        """See some more rows."""
        cells, found = texts(column), numbers(column)
        self.found.append(found)
        for text in set(cells) - self.first.keys() - {""}:
            self.many = self.many or len(self.first) > self.most
            if not self.many:
                self.first[text] = rows[cells.index(text)]
        for at in np.flatnonzero(np.isnan(found)).tolist():
            text = cells[at]
            if text and len(self.words) <= self.most:
                self.words.setdefault(text, rows[at])
            elif not text and self.empty is None:
                self.empty = rows[at]


def propose_schema(path: Path, label: str, most_levels: int = MOST_LEVELS) -> str:
    """The text of a schema file.

    Parameters
    ----------
    path
        A file of public or synthetic records.
    label
        The column to be predicted.
    most_levels
        A column of more different texts is left out: the schema would publish them.

    Raises
    ------
    ValueError
        If the file cannot be read, has no such column, a row without a label, too few or too many classes,
        or nothing to predict from.
    """
    seen: dict[str, _Seen] = {}
    with opened(path) as chunks:
        for chunk in chunks:
            for name in map(str, chunk.table):
                column = seen.setdefault(name, _Seen(max(most_levels, FEW) + len(SPELLINGS)))
                if chunk.rows:
                    column.take(chunk.table[name], chunk.rows)
    rows = sum(map(len, next(iter(seen.values())).found)) if seen else 0
    if not rows:
        raise ValueError(f"{path}: has a header and no rows")
    classes = _classes(path, label, seen, most_levels)
    described = [_feature(name, column, most_levels) for name, column in seen.items() if name != label]
    if not any(found.lines for found in described):
        notes = "; ".join(found.note for found in described)
        raise ValueError(
            f"{path}: no column is left to predict {label!r} from: {notes or 'there is no other'}"
        )
    spellings = sorted({spelling for found in described for spelling in found.spellings})
    lines = [WARNING.format(name=path.name), f"label = {_toml(label)}", f"classes = {_toml(classes)}"]
    if spellings:
        lines.append(
            f"missing = {_toml(spellings)}  # read as missing, like an empty cell, where it is no level"
        )
    for found in described:
        note = [f"# {found.note}"] if found.note else []
        lines += ["", *note, *found.lines] if found.lines or note else []
    return "\n".join(lines) + "\n"


def _classes(path: Path, label: str, seen: dict[str, _Seen], most_levels: int) -> list[str]:
    if label not in seen:
        raise ValueError(f"{path}: missing column {label!r}")
    column = seen[label]
    classes = _ordered(column.first)
    if column.empty is not None:
        raise ValueError(f"{path}: row {column.empty}, column {label!r}: has no label; leave such rows out")
    if len(classes) < 2:
        raise ValueError(f"{path}: column {label!r} has {len(classes)} value; a label needs at least two")
    if column.many or len(classes) > most_levels:
        raise ValueError(
            f"{path}: column {label!r} has more than {most_levels} different values; they are no classes"
        )
    return classes


@dataclass(frozen=True)
class _Proposal:
    """What is said of a column: a remark, the lines of a feature, and spellings of missing values in it."""

    note: str = ""
    lines: Sequence[str] = ()
    spellings: frozenset[str] = frozenset()


def _feature(name: str, column: _Seen, most_levels: int) -> _Proposal:
    if not name or UNNAMED.fullmatch(name):
        return _Proposal(f"{name or 'a column without a name'}: left out, it looks like an index")
    spelt = frozenset(column.words) & SPELLINGS
    if not column.many and len(column.first.keys() - spelt) < 2 <= len(column.first):
        spelt = frozenset()  # with so little else they are values
    values = [text for text in column.first if text not in spelt]
    stray = {text: row for text, row in column.words.items() if text not in spelt}
    if len(values) < 2 and not column.many:
        what = f"only the value {shown(values[0])}" if values else "no value"
        return _Proposal(f"{name!r} left out: it has {what}")
    missing = column.empty is not None or bool(spelt)
    found = np.concatenate(column.found)
    found = found[~np.isnan(found)]
    coded = any(LOOKS[CODES].fullmatch(text) for text in values)
    if not stray and not coded and (column.many or len(values) > FEW or (found % 1 != 0).any()):
        return _numeric(name, found, spelt, missing=missing)
    remark = _remark(values, stray, len(found))
    if column.many or len(values) > most_levels:
        why = f"more than {most_levels} different texts, which the schema would publish (--most-levels)"
        return _Proposal(f"{name!r} left out: it has {why}{remark}")
    if max(map(len, values)) > LONGEST:
        return _Proposal(f"{name!r} left out: a text of more than {LONGEST} characters is no level")
    levels = _ordered(values)
    levels += ["?"] if missing and "?" not in levels else []
    lines = ["[[features]]", 'kind = "categorical"', f"name = {_toml(name)}", f"levels = {_toml(levels)}"]
    note = f"{name!r}{remark}" if remark else ""
    return _Proposal(note, [*lines, *(['missing = "?"'] if "?" in levels else [])], spelt)


def _numeric(name: str, found: NDArray[np.float64], spelt: frozenset[str], *, missing: bool) -> _Proposal:
    low, high = float(found.min()), float(found.max())
    try:
        Numeric(name, low, high)
    except ValueError:
        return _Proposal(f"{name!r} left out: no grid fits between {low} and {high}")
    if found[0] in (0, 1) and (np.diff(found) == 1).all():
        return _Proposal(f"{name!r} left out: it counts the rows")
    inner = np.quantile(found, np.arange(1, 10) / 10, method="nearest").tolist()
    edges = sorted({low, *(edge for edge in inner if low < edge < high), high})
    if len(edges) < 3:
        edges = [low, low + (high - low) / 2, high]
    lines = ["[[features]]", 'kind = "numeric"', f"name = {_toml(name)}", f"lower = {_toml(low)}"]
    lines += [f"upper = {_toml(high)}", f"edges = {_toml(edges)}"]
    if missing:
        fill = float(np.quantile(found, 0.5, method="nearest"))
        note = '  # what a missing number becomes; or "level", for --numeric histogram only'
        lines.append(f"missing = {_toml(fill)}{note}")
    return _Proposal("", lines, spelt)


def _remark(values: Sequence[str], stray: dict[str, int], measured: int) -> str:
    """What a person should know of text that looks like something else; empty if it does not."""
    for what, pattern in LOOKS.items():
        like = [text for text in values if pattern.fullmatch(text)]
        if 2 * len(like) > len(values):
            return f" looks like {what}, such as {shown(like[0])}; here they are text"
    if stray and measured > 9 * len(stray) and len(values) > len(stray) + 1:
        word, row = next(iter(stray.items()))
        what = f"{len(stray)} texts, such as {shown(word)} in row {row}"
        return f" holds numbers but for {what}; here all are text"
    return ""


def _ordered(values: Iterable[str]) -> list[str]:
    """Numbers by their size, before all other texts in order."""

    def key(text: str) -> tuple[bool, float, str]:
        (number,) = numbers([text])
        return (True, 0.0, text) if np.isnan(number) else (False, float(number), text)

    return sorted(values, key=key)


def _toml(value: str | float | Sequence[str] | Sequence[float]) -> str:
    """JSON's strings, numbers and lists are TOML's too, but for one character that TOML has escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
