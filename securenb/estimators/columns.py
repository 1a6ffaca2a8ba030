"""The columns of a table or an array as numbers or categories, and what is neither, refused by name."""

import numbers
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats

LARGEST = 1e150
"""The largest number whose square, and so a variance, is finite."""

Kind = Literal["number", "boolean", "text"]


@dataclass(frozen=True, eq=False)
class Column:
    """One column without missing values.

    Attributes
    ----------
    name
        What errors call it.
    kind
        What all its values are.
    values
        Shape (n,), of any type.
    category
        Whether its type says that values are categories: all but numbers, and pandas' categories.
    text
        The values as the array of text had them that they were read from.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    category: bool
    text: NDArray[Any] | None = None

    def numbers(self) -> Floats:
        """The values as finite float64.

        Raises
        ------
        ValueError
            If one is text, infinite, or so large that its square is, naming column and row.
        """
        try:
            found: Floats = self.values.astype(np.float64)
        except (TypeError, ValueError):
            for row, value in enumerate(self.values.tolist()):
                if not _readable(np.array([value])):
                    raise ValueError(f"{self.name}, row {row + 1}: {value!r} is no number") from None
            raise
        fits = np.abs(found) <= LARGEST
        if not fits.all():
            row = int(np.argmin(fits))
            raise ValueError(
                f"{self.name}, row {row + 1}: {found[row]} is no number up to {LARGEST:g} (infinity or NaN?)"
            )
        return found

    def categories(self, kind: Kind) -> NDArray[np.object_]:
        """The values as Python's objects of a kind, shape (n,).

        Raises
        ------
        ValueError
            If they are of another, naming the column.
        """
        values = self.values
        if kind == "text" and self.text is not None:
            values = self.text
        elif kind != self.kind:
            raise ValueError(
                f"{self.name} is {self.kind}, e.g. {values[:1].tolist()[0]!r}; it was fitted as {kind}"
            )
        found = np.empty(len(values), dtype=object)
        found[:] = values.tolist()
        return found


def columns_of(X: pd.DataFrame | NDArray[Any]) -> list[Column]:
    """The columns of a table, or of a checked array (n, F).

    In an array of text, which may come of numbers beside words, a column that can be read as numbers is
    one; everywhere else text stays text.

    Raises
    ------
    ValueError
        If a value is missing or is of no kind, or kinds are mixed in a column, naming it.
    """
    if isinstance(X, pd.DataFrame):
        return [_column(f"column {name!r}", X.iloc[:, at]) for at, name in enumerate(X.columns)]
    found = []
    for at in range(X.shape[1]):
        name, values = f"column {at}", X[:, at]
        if values.dtype.kind == "U" and _readable(values):
            found.append(Column(name, "number", values.astype(np.float64), category=False, text=values))
        else:
            found.append(_column(name, pd.Series(values)))
    return found


def _column(name: str, series: "pd.Series[Any]") -> Column:
    missing = series.isna().to_numpy()
    if missing.any():
        row = int(np.argmax(missing)) + 1
        raise ValueError(f"{name}, row {row}: a missing value (NaN); fill it, or make a category of it")
    category = isinstance(series.dtype, pd.CategoricalDtype)
    if category:
        series = series.astype(object)
    dtype = series.dtype
    if pd.api.types.is_bool_dtype(dtype) and not pd.api.types.is_object_dtype(dtype):
        return Column(name, "boolean", series.to_numpy(dtype=bool), category=True)
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        values = series.to_numpy() if isinstance(dtype, np.dtype) else series.to_numpy(dtype=np.float64)
        return Column(name, "number", values, category)
    if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
        values = series.to_numpy(dtype=object)
        kind = _kind(name, values)
        return Column(name, kind, values, category or kind != "number")
    raise ValueError(f"{name} is of type {dtype}; make numbers or text of it")


def _kind(name: str, values: NDArray[np.object_]) -> Kind:
    """What all of these objects are."""
    kinds: dict[Kind, Any] = {}
    for row, value in enumerate(values.tolist()):
        if isinstance(value, str):
            kinds.setdefault("text", value)
        elif isinstance(value, bool | np.bool_):
            kinds.setdefault("boolean", value)
        elif isinstance(value, numbers.Real | Decimal):
            kinds.setdefault("number", value)
        else:
            raise ValueError(  # noqa: TRY004 - a caller's mistake
                f"{name}, row {row + 1}: {value!r} of type {type(value).__name__} is neither number nor text"
            )
    if len(kinds) > 1:
        mixed = " and ".join(f"{kind} ({value!r})" for kind, value in kinds.items())
        raise ValueError(f"{name} mixes {mixed}; make them all of one kind")
    return next(iter(kinds), "number")


def _readable(values: NDArray[Any]) -> bool:
    """Whether every value is a number, or text that can be read as one."""
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True
