"""An adapter behind the door: asked for one thing at a time, and every end is an answer.

An adapter is a Python file of plain functions that imports nothing of ours and runs in the interpreter that
has the code to be judged. `docs/how-to/judge.md` has the contract.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Self

from attacks.judging.outcome import Outcome
from attacks.toolkit.foreign import MEGABYTES, DiedError, Foreign, ForeignError, RaisedError, TimeoutExpired

LEVELS = ("framework", "class", "primitive")

CRASHES = {
    "AttributeError",
    "IndexError",
    "KeyError",
    "MemoryError",
    "NameError",
    "NotImplementedError",
    "RecursionError",
    "SystemError",
    "SystemExit",
    "UnboundLocalError",
    "ZeroDivisionError",
}
"""What code raises that did not mean to refuse."""


class BrokenAdapterError(ValueError):
    """The adapter does not keep its contract: nothing follows for the code behind it."""


@dataclass(frozen=True)
class Answer:
    """What a call came to.

    Attributes
    ----------
    given
        What it returned, where it did.
    ended
        Refused, aborted or hangs, where it did not; else `None`.
    said
        The reason.
    """

    given: Any = None
    ended: Outcome | None = None
    said: str = ""


@dataclass(frozen=True)
class Citation:
    """What a peer's public documents say about one check: a limit, or a report of a fault.

    Attributes
    ----------
    check, of
        The name of a check, and of a subject; `*` for any subject.
    quote
        Word for word.
    url, date
        Where, and when it was read there: YYYY-MM-DD.
    """

    check: str
    of: str
    quote: str
    url: str
    date: str

    @classmethod
    def read(cls, given: Any) -> Self:
        """From an adapter's words; a `BrokenAdapterError` names what is missing."""
        if not isinstance(given, Mapping) or set(given) != {"check", "of", "quote", "url", "date"}:
            raise BrokenAdapterError(f"a citation has check, of, quote, url and date, got {given!r}")
        found = cls(**{name: str(value) for name, value in given.items()})
        if not found.quote or not re.match(r"https://[\w.-]+/", found.url):
            raise BrokenAdapterError(f"a citation has words and an address with https://, got {given!r}")
        try:
            date.fromisoformat(found.date)
        except ValueError:
            raise BrokenAdapterError(f"the date of a citation is YYYY-MM-DD, got {found.date!r}") from None
        return found

    def speaks_of(self, check: str, subject: str) -> bool:
        """Whether it is about this check of this subject."""
        return self.check == check and self.of in ("*", subject)

    def __str__(self) -> str:
        return f"“{self.quote}” ({self.url}, {self.date})"


@dataclass(frozen=True)
class About:
    """What an adapter says of itself.

    Attributes
    ----------
    name, version
        Of the code that is judged.
    level
        What is driven: a whole framework, one class, or a primitive.
    own
        Whether the code belongs to those who judge it: only then are faults of secrecy shown that are not
        public, see `attacks.judging.disclosure`.
    schemes
        Of secure sums, by name: what `attacks.judging.sums.Scheme` reads.
    limits, reports
        Documented limits, and public reports of faults.
    """

    name: str
    version: str
    level: str
    own: bool = False
    schemes: Mapping[str, Any] = field(default_factory=dict)
    limits: tuple[Citation, ...] = ()
    reports: tuple[Citation, ...] = ()

    @classmethod
    def read(cls, given: Any) -> Self:
        """From an adapter's `about()`; a `BrokenAdapterError` says what is wrong."""
        if not isinstance(given, Mapping):
            raise BrokenAdapterError(f"about() gives a dictionary, got {type(given).__name__}")
        known = {"name", "version", "level", "own", "schemes", "limits", "reports"}
        if missing := {"name", "version", "level"} - set(given):
            raise BrokenAdapterError(f"about() lacks {', '.join(sorted(missing))}")
        if unknown := set(given) - known:
            raise BrokenAdapterError(
                f"about() has {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}"
            )
        if given["level"] not in LEVELS:
            raise BrokenAdapterError(f"the level is one of {', '.join(LEVELS)}, got {given['level']!r}")
        if not isinstance(given.get("schemes", {}), Mapping):
            raise BrokenAdapterError("schemes are a dictionary by name")
        return cls(
            str(given["name"]),
            str(given["version"]),
            given["level"],
            given.get("own") is True,
            given.get("schemes", {}),
            tuple(map(Citation.read, given.get("limits", ()))),
            tuple(map(Citation.read, given.get("reports", ()))),
        )


class Adapter:
    """An adapter in its interpreter, which is started anew after it died or hung.

    Parameters
    ----------
    path
        Of the adapter.
    python
        The interpreter.
    seconds
        That one answer may take; loading may take a minute more.
    megabytes
        Of memory.

    Raises
    ------
    ValueError
        If there is no such file or interpreter.
    BrokenAdapterError
        If it cannot be loaded, or says of itself what it must not.
    """

    def __init__(
        self, path: Path, python: str | Path, *, seconds: float = 30.0, megabytes: int = MEGABYTES
    ) -> None:
        if not path.is_file():
            raise ValueError(f"there is no adapter {path}")
        self.path, self.seconds = path, seconds
        self._python, self._megabytes = python, megabytes
        self._far: Foreign | None = None
        self._spent = 0.0
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        try:
            self._names = set(self._told("__dir__"))
            self.about = About.read(self._told("about"))
        except BrokenAdapterError:
            self.close()
            raise

    @property
    def cpu(self) -> float:
        """Seconds of processor time that it took so far; what was ended while it hung is not counted."""
        return self._spent + (self._far.cpu if self._far is not None else 0.0)

    def has(self, name: str) -> bool:
        """Whether it defines a function."""
        return name in self._names

    def ask(self, name: str, /, **arguments: Any) -> Answer:
        """What one of its functions came to; it never raises, unless it cannot be loaded any more."""
        far = self._opened()
        try:
            return Answer(far.call(name, **arguments))
        except RaisedError as error:
            kind, _, said = str(error).partition(": ")
            meant = bool(said) and kind not in CRASHES
            return Answer(ended=Outcome.REFUSED if meant else Outcome.ABORTED, said=str(error))
        except TimeoutExpired as error:
            self.close()
            return Answer(ended=Outcome.HANGS, said=f"timed out: {error}")
        except DiedError as error:
            self.close()
            return Answer(ended=Outcome.ABORTED, said=f"died: {error}")

    def close(self) -> None:
        """End its interpreter; the next question starts another."""
        if self._far is not None:
            self._spent += self._far.cpu
            self._far.close()
            self._far = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _opened(self) -> Foreign:
        if self._far is None:
            try:
                # imports of other people's libraries are slow
                self._far = Foreign(
                    self._python, self.path, seconds=self.seconds + 60, megabytes=self._megabytes
                )
            except (RaisedError, DiedError, TimeoutExpired) as error:
                raise BrokenAdapterError(f"it cannot be loaded: {error}") from None
            except ForeignError as error:
                raise ValueError(str(error)) from None
        self._far.seconds = self.seconds
        return self._far

    def _told(self, name: str) -> Any:
        answer = self.ask(name)
        if answer.ended is not None:
            raise BrokenAdapterError(f"{name}(): {answer.said}")
        return answer.given
