"""A ledger on disk: what was released about one population of people, across runs and crashes.

One line of JSON a charge, each bound to the line before by SHA-256; a file beside it, `<name>.head`, holds
the number of lines and the last hash. A line is forced to disk before anything is released, so a crash
can lose a release that was paid for, never a payment. Hashes tell of lines that were edited, removed or
torn; they do not stop somebody who recomputes them all: who may not be trusted with that must not be able
to write the file.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from protocols.canonical import digest
from securenb.privacy.ledger import Ledger, shown

START = bytes(32).hex()
"""What the first line is bound to."""


@dataclass(frozen=True)
class Payment:
    """One charge.

    Attributes
    ----------
    what
        For people: which run.
    epsilon
        Under add/remove, of whoever learned most.
    delta
        Of the same.
    """

    what: str
    epsilon: Fraction
    delta: float

    def hash(self, previous: str) -> str:
        """What the next line is bound to."""
        return digest(
            "securenb ledger line", previous, self.what, str(self.epsilon), float(self.delta).hex()
        ).hex()


class LedgerFile:
    """The payments of one population. Whatever runs on those people must use the same file.

    Parameters
    ----------
    path
        Made by the first payment.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._head = path.with_name(path.name + ".head")

    def payments(self) -> tuple[Payment, ...]:
        """All payments, oldest first.

        Raises
        ------
        ValueError
            If the file was edited.
        """
        with self._open() as file:
            return tuple(payment for payment, _ in self._read(file))

    def pay(self, what: str, ledger: Ledger, budget: Fraction) -> Payment:
        """Charge a run before it releases anything: its costliest view, in sequence to all before it.

        Parameters
        ----------
        ledger
            What the run may cost, at most.
        budget
            The epsilon (add/remove) that a person may spend in all.

        Raises
        ------
        ValueError
            If that exceeds the budget, with what was requested and what remains; if the run is not
            private; or if the file was edited. Nothing is charged then.
        OSError
            If it cannot be stored. Nothing is charged then.
        """
        views = {release.seen for release in ledger.releases}
        costs = [(ledger.epsilon("add-remove", seen), ledger.delta(seen)) for seen in views]
        if any(epsilon is None for epsilon, _ in costs):
            raise ValueError("a run without noise costs more than any budget")
        epsilon, delta = max((epsilon, delta) for epsilon, delta in costs if epsilon is not None)
        with self._open() as file:
            lines = self._read(file)
            left = budget - sum((payment.epsilon for payment, _ in lines), Fraction(0))
            if epsilon > left:
                raise ValueError(
                    f"privacy budget exceeded: epsilon {shown(epsilon)} requested, "
                    f"{float(max(left, Fraction(0))):.6g} of {shown(budget)} remaining in {self._path}"
                )
            payment = Payment(what, epsilon, delta)
            previous = lines[-1][1] if lines else START
            # a crash may have come in between: one line may be without its note, not two
            if self._noted()[0] < len(lines):
                self._note(len(lines), previous)
            self._append(file, payment, previous, len(lines) + 1)
        return payment

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        """The file, made if need be, locked against other processes."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ValueError(f"cannot keep a ledger in {self._path}: {error.strerror}") from None
        with os.fdopen(descriptor, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _read(self, file: BinaryIO) -> list[tuple[Payment, str]]:
        """Payments with their hashes, verified; the file is left at the end of the last whole line."""
        found: list[tuple[Payment, str]] = []
        end, previous = 0, START
        for line in file:
            if not line.endswith(b"\n"):  # torn by a crash: it was never acknowledged
                break
            end += len(line)
            try:
                fields = json.loads(line)
                payment = Payment(fields["what"], Fraction(fields["epsilon"]), float(fields["delta"]))
                stated = fields["hash"]
            except (ValueError, KeyError, TypeError, ZeroDivisionError):
                raise self._edited(len(found) + 1) from None
            if stated != payment.hash(previous):
                raise self._edited(len(found) + 1)
            found.append((payment, previous := stated))
        hashes = [START, *(stated for _, stated in found)]
        count, last = self._noted()
        # a crash may have come between the line and its note, never the other way round
        if count not in (len(found), len(found) - 1) or last != hashes[count]:
            raise self._edited(min(count, len(found)) + 1)
        file.seek(end)
        return found

    def _append(self, file: BinaryIO, payment: Payment, previous: str, count: int) -> None:
        stated = payment.hash(previous)
        fields = {"what": payment.what, "epsilon": str(payment.epsilon), "delta": payment.delta}
        line = json.dumps({**fields, "hash": stated}).encode() + b"\n"
        # not through the file's buffer, which would try again later what failed
        handle, end = file.fileno(), file.tell()
        try:
            os.ftruncate(handle, end)
            while line:
                line = line[os.pwrite(handle, line, os.fstat(handle).st_size) :]
            os.fsync(handle)
            self._note(count, stated)
        except OSError:
            os.ftruncate(handle, end)
            raise
        folder = os.open(self._path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

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

    def _edited(self, line: int) -> ValueError:
        return ValueError(f"{self._path} was edited: line {line} is not what was written; refusing to use it")
