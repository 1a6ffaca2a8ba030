"""A user's choices checked by pydantic, with one clear line when something is wrong."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Choices = TypeVar("Choices", bound=BaseModel)


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
        raise ValueError(f"{name}: {message}, got {first['input']!r}") from None
