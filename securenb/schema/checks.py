"""What a schema refuses to be made of: texts, numbers and edges that could never mean what they say."""

import itertools
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from protocols.integers import whole

FINEST = 1 << 16
"""The most grid steps: sums of squares of 2^20 records stay below 2^53, where float64 is exact."""

LARGEST = 1e150
"""The largest bound or edge: its square, a variance, is still a finite float."""


def check_text(what: str, value: Any) -> None:
    """Raise `ValueError` unless the name of a column is text, and text that UTF-8 can write."""
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text, got {value!r} of type {type(value).__name__}")  # noqa: TRY004 - a caller's mistake
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} must be text in UTF-8, got {value!r}, which can never match") from None


def check_texts(what: str, values: Sequence[Any]) -> None:
    """Raise `ValueError` unless these are at least two different texts that a cell can match.

    Cells lose the spaces around them before they are compared, and an empty cell is missing.
    """
    if isinstance(values, str):
        raise ValueError(f"{what} must be a sequence of texts, got the text {values!r}")  # noqa: TRY004 - a caller's mistake
    for value in values:
        check_text(f"each of the {what}", value)
        if not value or value != value.strip():
            reason = "spaces around a cell are ignored" if value else "an empty cell is missing"
            raise ValueError(f"{value!r}, one of the {what}, can never match: {reason}")
    if len(values) < 2 or len(set(values)) != len(values):
        raise ValueError(f"needs at least two {what}, all different, got {tuple(values)}")


def check_spellings(values: Sequence[Any]) -> None:
    """Raise `ValueError` unless each of these texts for a missing value can be the text of a cell."""
    if isinstance(values, str):
        raise ValueError(f"missing must be a sequence of texts, got the text {values!r}")  # noqa: TRY004 - a caller's mistake
    for value in values:
        check_text("each text for a missing value", value)
        if value != value.strip():
            raise ValueError(
                f"{value!r}, for a missing value, can never match: spaces around a cell are ignored"
            )


def check_bounds(name: str, lower: Any, upper: Any, steps: Any) -> tuple[float, float, int]:
    """The bounds and the grid steps as Python's own numbers: those of numpy wrap where they are narrow.

    Raises
    ------
    ValueError
        Unless the bounds are increasing numbers of a size that floats can square, and the steps an even
        integer from 2 to `FINEST` that are told apart there.
    """
    lower, upper = (check_number(f"{name}: needs finite bounds", bound) for bound in (lower, upper))
    if lower >= upper:
        raise ValueError(f"{name}: needs finite bounds, lower < upper, got {lower} and {upper}")
    count = whole(f"{name}: steps", steps)
    if count < 2 or count % 2 or count > FINEST:
        raise ValueError(f"{name}: needs an even number of grid steps, 2 to {FINEST}, got {count}")
    width = (float(upper) - float(lower)) / count
    if width < max(np.spacing(abs(float(lower))), np.spacing(abs(float(upper))), 1 / LARGEST):
        raise ValueError(
            f"{name}: {count} grid steps between {lower} and {upper} are finer than the floats there"
        )
    return lower, upper, count


def check_edges(name: str, edges: Sequence[Any]) -> tuple[float, ...]:
    """At least three increasing, finite edges as Python's own numbers; `ValueError` for anything else."""
    plain = tuple(check_number(f"{name}: needs finite edges", edge) for edge in edges)
    if len(plain) < 3 or any(a >= b for a, b in itertools.pairwise(plain)):
        raise ValueError(f"{name}: needs at least three increasing edges, got {plain}")
    return plain


def check_number(needs: str, value: Any) -> float:
    """A number that is finite when squared, as Python's `int` or `float`; `ValueError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{needs}, got {value!r} of type {type(value).__name__}")  # noqa: TRY004 - a caller's mistake
    if isinstance(value, numbers.Integral):
        plain: float = int(value)
    else:
        plain = float(value)
    if not abs(plain) <= LARGEST:  # nor is NaN
        raise ValueError(f"{needs}, at most ±{LARGEST:g}, got {value}")
    return plain
