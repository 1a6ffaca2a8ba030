"""Integers at the door: a caller's number as a Python integer, which never wraps, or a line that names it."""

import operator
from typing import Any, SupportsIndex


def whole(name: str, value: SupportsIndex) -> int:
    """The value as an `int`: Python's own, and the integers of NumPy in any width.

    Products of NumPy's narrow integers wrap silently, so plans are made of Python's alone.

    Raises
    ------
    ValueError
        For anything else, floats and booleans among them, naming the argument and its value.
    """
    try:
        # a boolean would count as 0 or 1, and is never meant
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise ValueError(f"{name} must be an integer, got {value!r} of type {type(value).__name__}")


def make_whole(record: Any, *names: str) -> None:
    """Make these fields of a frozen dataclass, where they are not `None`, integers of Python's own."""
    for name in names:
        if (value := getattr(record, name)) is not None:
            object.__setattr__(record, name, whole(name, value))
