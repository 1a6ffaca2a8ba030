"""Proposes a schema from a file of public or synthetic records, for a person to edit.

Bounds and levels are read off the file, so the file must not be private: whoever sees the schema learns
the smallest and largest value of each column.
"""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

FEW = 20
"""Whole numbers with at most so many different values are proposed as levels."""

MANY = 1000
"""Text with more different values than this is a name or a note, and is left out."""

WARNING = """\
# Proposed from {name}. Everything here is PUBLIC: bounds and levels must not come from records that you
# want to protect. Read every line, widen the bounds to what is publicly known, and delete what is not.
"""


def propose_schema(path: Path, label: str) -> str:
    """The text of a schema file.

    Parameters
    ----------
    path
        A CSV file of public or synthetic records.
    label
        The column to be predicted.

    Raises
    ------
    ValueError
        If the file cannot be read, has no such column, or the label has fewer than two values.
    """
    try:
        table = pd.read_csv(path, encoding="utf-8-sig", skipinitialspace=True)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    if label not in table.columns:
        raise ValueError(f"{path}: missing column {label!r}")
    classes = _values(table[label])
    if len(classes) < 2:
        raise ValueError(f"{path}: column {label!r} has {len(classes)} value; a label needs at least two")
    lines = [WARNING.format(name=path.name), f"label = {_toml(label)}", f"classes = {_toml(classes)}"]
    for name in table.columns:
        if name != label:
            lines += _feature(str(name), table[name])
    return "\n".join(lines) + "\n"


def _feature(name: str, column: "pd.Series[Any]") -> list[str]:
    values = _values(column)
    whole = pd.api.types.is_numeric_dtype(column) and (column.dropna() % 1 == 0).all()
    if len(values) < 2:
        return ["", f"# {name!r} left out: it has {len(values)} different value"]
    if pd.api.types.is_numeric_dtype(column) and not (whole and len(values) <= FEW):
        low, high = float(column.min()), float(column.max())
        inner = column.quantile([i / 10 for i in range(1, 10)])
        edges = sorted({low, *(round(edge, 6) for edge in inner.tolist()), high})
        histogram = [f"edges = {_toml(edges)}"] if len(edges) >= 3 else []
        lines = ["", "[[features]]", 'kind = "numeric"', f"name = {_toml(name)}"]
        note = "  # some are missing here, and would be refused" if column.isna().any() else ""
        return [*lines, f"lower = {_toml(low)}{note}", f"upper = {_toml(high)}", *histogram]
    if len(values) > MANY:
        return ["", f"# {name!r} left out: {len(values):,} different texts are no levels"]
    lines = ["", "[[features]]", 'kind = "categorical"', f"name = {_toml(name)}"]
    missing = column.isna().any() and "?" not in values
    levels = [*values, "?"] if missing else values
    return [*lines, f"levels = {_toml(levels)}", *(['missing = "?"'] if "?" in levels else [])]


def _values(column: "pd.Series[Any]") -> list[str]:
    """The different values as text; whole numbers without a decimal point."""
    present = column.dropna()
    if pd.api.types.is_numeric_dtype(present) and (present % 1 == 0).all():
        return [str(value) for value in sorted(present.astype("int64").unique().tolist())]
    return sorted({str(value).strip() for value in present})


def _toml(value: str | float | list[str] | list[float]) -> str:
    """JSON's strings, numbers and lists are TOML's too, but for numbers that are not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no bound")
    return json.dumps(value, ensure_ascii=False)
