"""A user's choices checked by pydantic, with one clear line when something is wrong."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Choices = TypeVar("Choices", bound=BaseModel)

LONGEST = 200
"""Characters of a wrong value that an error shows: one line, whatever it was."""


def checked(kind: type[Choices], **choices: Any) -> Choices:
    """An instance, or a one-line `ValueError` that names the choice and what it should be."""
    try:
        return kind(**choices)
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "value_error":
            raise ValueError(message) from None
        got = " ".join(repr(first["input"]).split())
        shown = got if len(got) <= LONGEST else f"{got[:LONGEST]}…"
        raise ValueError(f"{name}: {message}, got {shown}") from None
