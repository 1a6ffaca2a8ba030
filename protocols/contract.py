"""How contracts are checked: promises as functions, a broken one as an error with a case in it."""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

Promise = Callable[[T], None]
"""Tries one promise, which its docstring says, on a subject; raises `BrokenContract` if it is not kept."""


class BrokenContract(AssertionError):
    """A method does not keep a promise of its contract; the message shows a case."""


def expect(kept: object, case: str) -> None:
    """Raise `BrokenContract` with the case unless the promise was kept in it."""
    if not kept:
        raise BrokenContract(case)


@contextmanager
def refused(case: str, naming: str = "") -> Any:
    """What is inside must be refused with a `ValueError` whose message has `naming` in it."""
    try:
        yield
    except ValueError as error:
        expect(naming in str(error), f"{case} is refused, but the message does not name {naming!r}: {error}")
    else:
        raise BrokenContract(f"{case} is not refused")


def check_all(subject: T, promises: Sequence[Promise[T]]) -> tuple[str, ...]:
    """Try promises on a subject; the words of those that were kept, which are all.

    Raises
    ------
    BrokenContract
        If any is not kept: all that are broken, a line for each, each with a case.
    """
    broken = []
    for promise in promises:
        try:
            promise(subject)
        except BrokenContract as error:
            broken.append(f"{said(promise)}: {error}")
        except Exception as error:
            broken.append(f"{said(promise)}: {type(error).__name__}: {error}")
    if broken:
        name = type(subject).__name__ if not isinstance(subject, type) else subject.__name__
        raise BrokenContract(f"{name} breaks its contract\n" + "\n".join(f"- {line}" for line in broken))
    return tuple(map(said, promises))


def said(promise: Promise[Any]) -> str:
    """A promise in words: the first line of its docstring."""
    return (promise.__doc__ or promise.__name__).partition("\n")[0].rstrip(".")
