"""What one cell of a table means: text, a number, or nothing.

A cell is read by itself. Its meaning never depends on other rows, on the chunk it came in, on the site, or
on a column's type: the cell of a table in memory means what the same cell means in the CSV file that pandas
writes of it. A change of one record therefore changes what one record means, and no other.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.schema.cell_bytes import CellBytes

Column = pd.Series | Sequence[str]
"""Cells of a table in memory, or the text between the commas of a file."""

Codes = NDArray[np.int32]

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OFNUMBERS = b"0123456789eE+-. "
_SHOWN = 60


def text_of(value: Any) -> str:
    """The text of one cell without the spaces around it; empty if it is missing.

    Numbers are written as Python writes them, the shortest text that reads back as the same number.
    """
    if type(value) is str:
        return value.strip()
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, float):  # numpy's float64 is one, and its own `repr` names its type
        return "" if math.isnan(value) else float.__repr__(value)
    text = str(value).strip()
    return "" if isinstance(value, np.floating | np.datetime64) and text.lower() in ("nan", "nat") else text


def texts(column: Column) -> list[str]:
    """The text of every cell."""
    if not isinstance(column, pd.Series):
        return [text.strip() for text in column]
    values = column.to_numpy() if isinstance(column.dtype, np.dtype) and column.dtype.kind == "f" else column
    # `tolist` would widen short floats, and .1 would become .10000000149011612
    return [text_of(value) for value in (list(values) if isinstance(values, np.ndarray) else values.tolist())]


def look_up(column: Column, code: Callable[[str], int]) -> Codes:
    """The code of every cell's text, shape (n,); each text is looked up once."""
    if isinstance(column, CellBytes):
        return column.look_up(lambda text: code(text.strip()))
    if not isinstance(column, pd.Series):
        known = {text: code(text.strip()) for text in set(column)}
        codes: Codes = np.fromiter(map(known.__getitem__, column), np.int32, len(column))
        return codes
    if isinstance(column.dtype, pd.CategoricalDtype):
        # place -1, the last, is a missing cell
        few = look_up([*texts(pd.Series(column.cat.categories)), ""], code)
        return few[column.cat.codes.to_numpy()]
    return look_up(texts(column), code)


def numbers(column: Column) -> NDArray[np.float64]:
    """The number in every cell, shape (n,); not-a-number where there is none, or none that is finite.

    A number is decimal digits with at most one point and one exponent: what `float` takes besides, such as
    ``1_000``, ``nan`` or other scripts' digits, is none, and neither is a truth value.
    """
    if isinstance(column, pd.Series):
        if column.dtype == np.float64 or pd.api.types.is_integer_dtype(column.dtype):
            found = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            return numbers(texts(column))
    elif isinstance(column, CellBytes):
        found, plain = column.whole_numbers()
        if not plain.all():
            others = np.flatnonzero(~plain)
            found[others] = numbers([column[at] for at in others.tolist()])
        return found
    elif "".join(column).encode().translate(None, _OFNUMBERS):
        found = np.fromiter(map(_number, column), np.float64, len(column))
    else:
        try:
            found = np.fromiter(map(float, column), np.float64, len(column))
        except ValueError:
            found = np.fromiter(map(_number, column), np.float64, len(column))
    return np.where(np.isfinite(found), found, np.nan)


def blank(column: Column) -> NDArray[np.bool_]:
    """Which cells are missing, shape (n,)."""
    return np.fromiter((not text for text in texts(column)), np.bool_, len(column))


@lru_cache(maxsize=1 << 16)
def _number(text: str) -> float:
    text = text.strip()
    return float(text) if NUMBER.fullmatch(text) else math.nan


def shown(text: str) -> str:
    """A cell's text in an error message: quoted, and cut off if it is long."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
