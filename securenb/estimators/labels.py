"""Labels as callers hold them: booleans, numbers or text, in arrays and series of whatever type."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

Labels = NDArray[Any]
"""Shape (n,), of a boolean, integer, floating or text type, or objects that are all text."""

_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def plain(y: ArrayLike) -> Labels:
    """The labels, those in objects or in a nullable series as the type that they all have.

    Raises
    ------
    ValueError
        If one is missing, or they are not all booleans, all numbers or all text.
    """
    if isinstance(y, list | tuple):  # of which NumPy would make text, were there a word in it
        y = np.array(y, dtype=object)
    labels: Labels = column_or_1d(y, warn=True)
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(f"y, row {int(np.argmax(missing)) + 1}: NaN, a missing label")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"y, row {int(np.argmin(np.isfinite(labels))) + 1}: infinity is no class")
    if labels.dtype.kind in "biufU":
        return labels
    if labels.dtype.kind != "O":
        raise ValueError(f"y is of type {labels.dtype}; make text or numbers of it")
    if all(isinstance(label, str) for label in labels):
        return labels
    kinds = {type(label) for label in labels.tolist()}
    if kinds <= {bool, np.bool_} or not kinds & {bool, np.bool_, str}:
        typed = np.array(labels.tolist())
        if typed.dtype.kind in "biuf":
            return plain(typed)
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise ValueError(f"y must be all booleans, all numbers or all text, got {names}")


def classes_like(classes: Sequence[str], y: Labels) -> Labels:
    """A schema's classes, which are text, as values of the type of y, in the schema's order.

    Raises
    ------
    ValueError
        If a class is no value of that type, or two are the same.
    """
    if y.dtype.kind in "OU":
        return np.array(classes, dtype=object if y.dtype.kind == "O" else np.str_)
    typed = np.array([_like(name, y) for name in classes])
    if len(np.unique(typed)) < len(classes):
        raise ValueError(
            f"some of the classes {', '.join(map(repr, classes))} are the same as {y.dtype}; give y as text"
        )
    # of the narrow type of y, unless a class that is not in y needs more room
    return typed.astype(y.dtype) if np.array_equal(typed.astype(y.dtype), typed) else typed


def _like(name: str, y: Labels) -> Any:
    kind = y.dtype.kind
    try:
        if kind == "b":
            return _TRUTH[name.lower()]
        if kind in "iuf":
            number = float(_TRUTH.get(name.lower(), name))
            return int(number) if kind in "iu" and number.is_integer() else number
    except (KeyError, ValueError):
        pass
    raise ValueError(
        f"y is of type {y.dtype}, which has no class {name!r}; give y as text, or, for what numbers classes "
        "itself (ensembles, cross_val_predict of probabilities), call them '0', '1', … in the schema"
    )


def places(labels: Labels, classes: Labels) -> NDArray[np.int64]:
    """The index in `classes`, in any order, of each label; -1 where there is none."""
    return pd.Index(classes).get_indexer(pd.Index(labels)).astype(np.int64)
