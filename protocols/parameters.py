"""The parameters of a class that a spec can choose: what they are called, what they can be, what they are."""

import dataclasses
import difflib
import inspect
import types
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def elsewhere(where: str) -> dict[str, str]:
    """Metadata of a field that no spec chooses though its type would allow it, and where it is chosen."""
    return {"elsewhere": where}


_SCALARS = (int, float, str, bool, type(None))


def parameters(kind: type) -> dict[str, Any]:
    """Type of each parameter of a class that can be chosen, by name, in the order of its declaration.

    Numbers, words and switches can. What its `repr` does not show cannot, for a session binds what the
    `repr` of its protocol shows.
    """
    try:
        hints = get_type_hints(kind if dataclasses.is_dataclass(kind) else vars(kind).get("__init__", kind))
    except NameError:  # of a class inside a function, in a module that postpones its annotations
        hints = {}
    if dataclasses.is_dataclass(kind):
        shown = [each for each in dataclasses.fields(kind) if each.init and each.repr]
        names = [each.name for each in shown if "elsewhere" not in each.metadata]
    else:
        names = list(inspect.signature(kind).parameters)
    return {name: hints[name] for name in names if name in hints and _scalar(hints[name])}


def chosen(kind: type, what: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, checked against the parameters of a class.

    Parameters
    ----------
    what
        How the person wrote it, for the errors.

    Raises
    ------
    ValueError
        If there is no such parameter, naming those that there are, or the value is of another type.
    """
    import msgspec  # here: `securenb list` starts without it

    known, found = parameters(kind), {}
    for name, value in values.items():
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            where = _elsewhere(kind, name)
            if where:
                raise ValueError(f"{name} in {what} is no parameter of a spec: {where}")
            raise ValueError(f"unknown parameter {name!r} in {what}: {has}{did_you_mean(name, known)}")
        try:
            found[name] = msgspec.convert(value, known[name])
        except msgspec.ValidationError:
            raise ValueError(f"{name} in {what} must be {_said(known[name])}, got {value!r}") from None
    return found


def values(thing: Any) -> dict[str, Any]:
    """The parameters of an object that are not what they are by default, as a spec would choose them."""
    kind, changed = type(thing), {}
    defaults = {name: each.default for name, each in inspect.signature(kind).parameters.items()}
    for name in parameters(kind):
        value = getattr(thing, name, defaults[name])
        if value != defaults[name]:
            changed[name] = value
    return changed


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` if something known is spelt nearly so."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _elsewhere(kind: type, name: str) -> str:
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return next((each.metadata.get("elsewhere", "") for each in fields if each.name == name), "")


def _scalar(hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return True
    if get_origin(hint) in (Union, types.UnionType):
        return all(map(_scalar, get_args(hint)))
    return hint in _SCALARS


def _said(hint: Any) -> str:
    """A type in words."""
    if get_origin(hint) is Literal:
        return " or ".join(map(str, get_args(hint)))
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(map(_said, get_args(hint)))
    words = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}
    return words.get(hint, "none")
