"""The contract of a release that an audit can run, here or in another interpreter."""

import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attacks.audit.black_box import driver
from attacks.toolkit.foreign import MEGABYTES, Foreign

DRIVER = Path(driver.__file__)

LONGEST = 10.0
"""Seconds that one run may take, by default."""


class Release(ABC):
    """Something that puts out numbers, and pairs of neighbouring inputs for it.

    Attributes
    ----------
    name
        What to call it.
    pairs
        The names of the pairs.
    """

    name: str
    pairs: Sequence[str]

    @abstractmethod
    def run(self, pair: int, side: int, count: int, seed: int, seconds: float) -> Mapping[str, Any]:
        """Up to `count` fresh runs, see `driver.Subject.run`.

        Raises
        ------
        ValueError
            If one does not end, returns what is no number, or its interpreter dies.
        """

    @abstractmethod
    def tape(self, pair: int, side: int, answers: Sequence[float]) -> Mapping[str, Any] | None:
        """One run with recorded noise, see `driver.Subject.tape`; `None` where noise cannot be recorded."""


class Here(Release):
    """A function of this process.

    Parameters
    ----------
    release
        `release(data, rng)` or `release(data)`.
    pairs
        Pairs of inputs, with a name or without.
    longest
        Seconds that one run may take; kept only in the main thread of a system with alarms.
    """

    def __init__(
        self,
        release: Callable[..., Any],
        pairs: Sequence[Sequence[Any]],
        name: str | None = None,
        longest: float = LONGEST,
    ) -> None:
        self._subject = driver.Subject(release, pairs)
        self._longest = longest
        self.name = name or str(getattr(release, "__qualname__", type(release).__name__))
        self.pairs = self._subject.names()["pairs"]

    def run(self, pair: int, side: int, count: int, seed: int, seconds: float) -> Mapping[str, Any]:
        """See `Release.run`."""
        with _alarm(seconds + self._longest, self._longest), _readable():
            found: Mapping[str, Any] = self._subject.run(pair, side, count, seed, seconds)
            return found

    def tape(self, pair: int, side: int, answers: Sequence[float]) -> Mapping[str, Any] | None:
        """See `Release.tape`."""
        with _alarm(self._longest, self._longest), _readable():
            found: Mapping[str, Any] = self._subject.tape(pair, side, answers)
            return found


class Elsewhere(Release):
    """A function or an estimator in another interpreter.

    Parameters
    ----------
    python
        The interpreter.
    make
        `open_function` or `open_estimator` of `driver`.
    arguments
        What that is called with.
    """

    def __init__(
        self,
        python: str | Path,
        make: str,
        arguments: Mapping[str, Any],
        longest: float = LONGEST,
        megabytes: int = MEGABYTES,
    ) -> None:
        self.name = str(arguments["spec"])
        self._longest = longest
        # imports of other people's libraries are slow
        self._far = Foreign(python, DRIVER, make, dict(arguments), seconds=longest + 60, megabytes=megabytes)
        self._far.seconds = longest
        known = self._far.call("names")
        self.pairs, self._recorded = known["pairs"], known["numpy"]

    def close(self) -> None:
        """End the other interpreter."""
        self._far.close()

    def run(self, pair: int, side: int, count: int, seed: int, seconds: float) -> Mapping[str, Any]:
        """See `Release.run`."""
        self._far.seconds = seconds + self._longest
        found: Mapping[str, Any] = self._far.call(
            "run", pair=pair, side=side, count=count, seed=seed, seconds=seconds
        )
        return found

    def tape(self, pair: int, side: int, answers: Sequence[float]) -> Mapping[str, Any] | None:
        """See `Release.tape`."""
        if not self._recorded:
            return None
        self._far.seconds = self._longest
        found: Mapping[str, Any] = self._far.call("tape", pair=pair, side=side, answers=list(answers))
        return found


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except driver.Unreadable as error:
        raise ValueError(str(error)) from None


@contextmanager
def _alarm(seconds: float, each: float) -> Iterator[None]:
    """A `ValueError` in a function that does not end, where the system can interrupt it."""
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return

    def ring(*_: object) -> None:
        raise EndlessError(f"a run did not end within {each:g} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except EndlessError as error:
        raise ValueError(str(error)) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class EndlessError(BaseException):
    """Beyond `Exception`, so that what is audited does not take it for its own."""
