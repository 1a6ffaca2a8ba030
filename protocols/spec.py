"""Things by name, with their parameters: ``"verified(helpers=2)"``, ``"ipm(factor=2):inside:noisy"``.

A spec is a name, then parameters in parentheses, then the parameters that are simply true, each after a
colon. The same in a file is a table, ``{name = "verified", helpers = 2}``.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Scalar = int | float | str | bool | None
"""What a parameter can be."""

_NAME = re.compile(r"[A-Za-z_][\w-]*(#\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_WORD = re.compile(r"[^\s,()=:+\"]+")
_CONSTANTS: dict[str, Scalar] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Spec:
    """A name and the parameters that were chosen for it; everything else keeps its default.

    Examples
    --------
    >>> str(Spec.of({"name": "centered_clipping", "radius": 2}))
    'centered_clipping(radius=2)'
    >>> Spec.of("alie:inside:noisy").parameters
    {'inside': True, 'noisy': True}
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        flags = [name for name, value in self.parameters.items() if value is True]
        others = [
            f"{name}={_spelled(self.parameters[name])}" for name in self.parameters if name not in flags
        ]
        return (
            self.name + (f"({', '.join(others)})" if others else "") + "".join(f":{flag}" for flag in flags)
        )

    @classmethod
    def of(cls, choice: "str | Mapping[str, Any] | Spec") -> "Spec":
        """The spec that a person wrote, on the command line or in a file.

        Raises
        ------
        ValueError
            If it is spelt wrongly; the message shows how it should be.
        """
        if isinstance(choice, Spec):
            return choice
        if isinstance(choice, str):
            return _Reader(choice).spec()
        if isinstance(choice, Mapping) and isinstance(choice.get("name"), str):
            parameters = {str(key): value for key, value in choice.items() if key != "name"}
            return cls(_Reader(choice["name"]).only_a_name(), parameters)
        raise ValueError(
            f'a choice is a name, name(key=value), or {{name = "…", key = value}}, got {choice!r}'
        )


def split(text: str, mark: str) -> list[str]:
    """What stands between marks that are outside of parentheses and quotes, without spaces around it.

    Examples
    --------
    >>> split("clip(radius=1, steps=2)+krum", "+")
    ['clip(radius=1, steps=2)', 'krum']
    """
    parts, depth, quoted, begin = [], 0, False, 0
    for at, letter in enumerate(text):
        if letter == '"' and text[at - 1 : at] != "\\":
            quoted = not quoted
        elif not quoted and letter in "()":
            depth += 1 if letter == "(" else -1
        elif not quoted and not depth and letter == mark:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip() for part in (*parts, text[begin:])]


def listed(text: str) -> list[str]:
    """The specs of a list separated by commas; empty ones are left out."""
    return [part for part in split(text, ",") if part]


class _Reader:
    """Reads one spec from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def only_a_name(self) -> str:
        """The whole text, if it is a name."""
        name = self._take(_NAME)
        if name is None or self._at != len(self._text):
            raise self._wrong()
        return name

    def spec(self) -> Spec:
        name = self._take(_NAME)
        if name is None:
            raise self._wrong()
        parameters: dict[str, Scalar] = {}
        if self._skip("("):
            while not self._skip(")"):
                if parameters and not self._skip(","):
                    raise self._wrong()
                key = self._take(_NAME)
                if key is None or not self._skip("="):
                    raise self._wrong()
                self._add(parameters, key, self._value())
        while self._skip(":"):
            flag = self._take(_NAME)
            if flag is None:
                raise self._wrong()
            self._add(parameters, flag, value=True)
        self._skip("")
        if self._at != len(self._text):
            raise self._wrong()
        return Spec(name, parameters)

    def _add(self, parameters: dict[str, Scalar], key: str, value: Scalar) -> None:
        if key in parameters:
            raise ValueError(f"{key!r} is chosen twice in {self._text!r}")
        parameters[key] = value

    def _value(self) -> Scalar:
        quoted = self._take(_QUOTED)
        if quoted is not None:
            return str(json.loads(quoted))
        number = self._take(_NUMBER, whole=True)
        if number is not None:
            return _number(number)
        word = self._take(_WORD)
        if word is None:
            raise self._wrong()
        return _CONSTANTS.get(word, word)

    def _take(self, pattern: re.Pattern[str], *, whole: bool = False) -> str | None:
        self._skip("")
        found = pattern.match(self._text, self._at)
        if found is None or (whole and self._text[found.end() : found.end() + 1] not in (",", ")", " ", "")):
            return None
        self._at = found.end()
        return found.group()

    def _skip(self, mark: str) -> bool:
        """Whether the mark stands here, after spaces; it is then read."""
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        return True

    def _wrong(self) -> ValueError:
        return ValueError(
            f"cannot read {self._text!r} from character {self._at + 1}: a choice is spelt name, "
            "name(key=value, key=value) or name:flag"
        )


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


def _spelled(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        plain = _WORD.fullmatch(value) and not _NUMBER.fullmatch(value) and value not in _CONSTANTS
        return value if plain else json.dumps(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
