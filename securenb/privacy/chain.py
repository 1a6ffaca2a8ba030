"""Lines of JSON on disk that only grow: across crashes nothing acknowledged is lost, no edit goes unnoticed.

Each line is bound to the line before by SHA-256; a file beside it, `<name>.head`, holds the number of lines
and the last hash. A line is forced to disk before it is acknowledged. Hashes tell of lines that were edited,
removed or torn; they do not stop an editor who recomputes them all: who may not be trusted with that must
not be able to write the file.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from protocols.canonical import digest

START = bytes(32).hex()
"""What the first line is bound to."""

Entry = dict[str, Any]
"""What one line says: plain values."""


class Chain:
    """The entries of one file, verified, while the file is locked against other processes."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._head = path.with_name(path.name + ".head")
        self._file = file
        self.entries: list[Entry] = []
        self._hashes = [START]
        self._end = 0
        self._read()

    @property
    def head(self) -> str:
        """The hash of the last line, in hexadecimal digits."""
        return self._hashes[-1]

    def append(self, entry: Entry) -> None:
        """Add a line; an `OSError` if it cannot be stored, and then nothing has changed."""
        count = len(self.entries)
        # a crash may have come in between: one line may be without its note, not two
        if self._noted()[0] < count:
            self._note(count, self.head)
        stated = digest("securenb ledger entry", self.head, json.dumps(entry)).hex()
        line = _rendered(entry, stated)
        # not through the file's buffer, which would try again later what failed
        handle, left = self._file.fileno(), line
        try:
            os.ftruncate(handle, self._end)
            while left:
                left = left[os.pwrite(handle, left, os.fstat(handle).st_size) :]
            os.fsync(handle)
            self._note(count + 1, stated)
        except OSError:
            os.ftruncate(handle, self._end)
            raise
        folder = os.open(self._path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._end += len(line)
        self.entries.append(entry)
        self._hashes.append(stated)

    def edited(self, line: int) -> ValueError:
        """What is raised of a line that is not what was written."""
        return ValueError(f"{self._path} was edited: line {line} is not what was written; refusing to use it")

    def _read(self) -> None:
        for line in self._file:
            if not line.endswith(b"\n"):  # torn by a crash: it was never acknowledged
                break
            try:
                entry, stated = _parsed(line, self.head)
            except (ValueError, KeyError, TypeError):
                raise self.edited(len(self.entries) + 1) from None
            self._end += len(line)
            self.entries.append(entry)
            self._hashes.append(stated)
        count, last = self._noted()
        # a crash may have come between the line and its note, never the other way round
        if count not in (len(self.entries), len(self.entries) - 1) or last != self._hashes[count]:
            raise self.edited(min(max(count, 0), len(self.entries)) + 1)

    def _note(self, count: int, stated: str) -> None:
        draft = self._head.with_name(self._head.name + ".new")
        try:
            with draft.open("w") as note:
                note.write(f"{count} {stated}\n")
                note.flush()
                os.fsync(note.fileno())
            draft.replace(self._head)
        finally:
            draft.unlink(missing_ok=True)

    def _noted(self) -> tuple[int, str]:
        if not self._head.exists():
            return 0, START
        count, _, last = self._head.read_text().strip().partition(" ")
        return (int(count) if count.isdecimal() else -1), last


@contextmanager
def opened(path: Path) -> Iterator[Chain]:
    """The chain in a file, made if need be.

    Raises
    ------
    ValueError
        If the file cannot be opened, or was edited.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ValueError(f"cannot keep a ledger in {path}: {error.strerror}") from None
    with os.fdopen(descriptor, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield Chain(path, file)


def _rendered(entry: Entry, stated: str) -> bytes:
    return json.dumps({"entry": entry, "hash": stated}).encode() + b"\n"


def _parsed(line: bytes, previous: str) -> tuple[Entry, str]:
    """The entry of a line and its hash; a `ValueError`, `KeyError` or `TypeError` if it is none."""
    fields = json.loads(line)
    stated = fields["hash"]
    if "entry" in fields:
        entry: Entry = fields["entry"]
        expected = digest("securenb ledger entry", previous, json.dumps(entry)).hex()
        if stated != expected or line != _rendered(entry, stated):
            raise ValueError
        return entry, stated
    # a line of the first releases of this software: epsilon and delta of a run, and no more
    what, epsilon, delta = fields["what"], fields["epsilon"], float(fields["delta"])
    if stated != digest("securenb ledger line", previous, what, epsilon, delta.hex()).hex():
        raise ValueError
    return {"kind": "sum", "what": what, "epsilon": epsilon, "delta": delta}, stated
