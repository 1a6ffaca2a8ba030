"""How a choice is declared: once, with its description; options, files and sweeps read it from there.

A choice that may be no number has a word for that: a group size of ``all`` is one group. The word, a number
and a number in text mean the same on the command line, in TOML and in Python.
"""

from typing import Any

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo


def choice(
    description: str, default: Any = ..., *, word: str | None = None, option: str | None = None, **rules: Any
) -> Any:
    """A field of a pydantic model.

    Parameters
    ----------
    description
        One sentence for help and reference, with units.
    default
        Left out where there must be none: a choice on which privacy depends is never made silently.
    word
        What says the same as `None`.
    option
        Its name on the command line, if it is not the field's.
    rules
        See `pydantic.Field`.
    """
    extra: dict[str, Any] = {"word": word, "option": option}
    return Field(default, description=description, json_schema_extra=extra, **rules)


def of(kind: type[BaseModel], name: str) -> FieldInfo:
    """The declaration of a choice."""
    return kind.model_fields[name]


def like(kind: type[BaseModel], name: str, default: Any = ..., **rules: Any) -> Any:
    """A field of another model that means what `name` means in `kind`."""
    field = of(kind, name)
    return choice(described(field), default, word=word_of(field), option=option_of(field), **rules)


def described(field: FieldInfo) -> str:
    """The description; every choice has one."""
    assert field.description is not None
    return field.description


def word_of(field: FieldInfo) -> str | None:
    """What says the same as `None`."""
    return _extra(field).get("word")


def option_of(field: FieldInfo) -> str | None:
    """The name on the command line, if it is not the field's."""
    return _extra(field).get("option")


def unworded(kind: type[BaseModel], name: str | None, value: Any) -> Any:
    """The value of a choice whose word was perhaps said instead."""
    word = word_of(of(kind, name)) if name in kind.model_fields else None
    if word is None or not isinstance(value, str):
        return value
    if value == word:
        return None
    try:
        return int(value) if value.strip().lstrip("+-").isdecimal() else float(value)
    except ValueError:
        raise ValueError(f"{name} is a number or `{word}`, got {value!r}") from None


def _extra(field: FieldInfo) -> dict[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
