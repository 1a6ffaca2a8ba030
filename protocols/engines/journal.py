"""What a party has been asked in one run, on disk: one file a step, each written once and for all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from protocols.errors import Abort


class Journal:
    """The steps of one party in one session, in order.

    Writing a step is what decides it: of two processes that want to write the same one only the first
    succeeds, so a party cannot be led down two paths. Everything is readable by its owner only.

    Parameters
    ----------
    folder
        Where the steps are kept; made if need be.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def steps(self) -> list[bytes]:
        """All steps, oldest first."""
        found: list[bytes] = []
        while (path := self._path(len(found))).exists():
            found.append(path.read_bytes())
        return found

    def write(self, number: int, content: bytes) -> None:
        """Write step `number`; nothing happens if it is there already, the same.

        Raises
        ------
        Abort
            If the steps before it are missing, or this one is there and was another.
        OSError
            If it cannot be stored; it was not, then.
        """
        if number and not self._path(number - 1).exists():
            raise Abort(f"step {number} came before step {number - 1}")
        if self._first(self._path(number), content) != content:
            raise Abort(f"step {number} was something else before")

    def record(self, number: int, tape: bytes) -> bytes:
        """Keep what was drawn in step `number`, or give back what was kept of it before; what stands, stands.

        Raises
        ------
        OSError
            If it cannot be stored; nothing that was drawn may leave, then.
        """
        return self._first(self._tape(number), tape)

    def recorded(self, number: int) -> bytes | None:
        """What was drawn in step `number`, if anything."""
        path = self._tape(number)
        return path.read_bytes() if path.exists() else None

    def _first(self, path: Path, content: bytes) -> bytes:
        """What is in the file: this, durably, unless it was there before."""
        handle, draft = tempfile.mkstemp(prefix=".step-", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # a link, unlike a rename, fails if the name is taken
            os.link(draft, path)
        except FileExistsError:
            content = path.read_bytes()
        finally:
            Path(draft).unlink()
        self._settle()
        return content

    def keep(self, costly: bytes) -> None:
        """Keep what took long to make, if there is room; losing it costs time and nothing else."""
        with suppress(OSError):
            handle, draft = tempfile.mkstemp(prefix=".costly-", dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(costly)
                Path(draft).replace(self._costly)
            finally:
                Path(draft).unlink(missing_ok=True)

    def kept(self) -> bytes:
        """What was kept; empty if nothing was."""
        return self._costly.read_bytes() if self._costly.exists() else b""

    def forget(self) -> None:
        """Delete all steps for good, the last one first, and what may be secret in them."""
        self._costly.unlink(missing_ok=True)
        for tape in self._folder.glob("tape-*"):
            tape.unlink()
        for number in reversed(range(len(self.steps()))):
            self._path(number).unlink()
        self._settle()

    def _settle(self) -> None:
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    @property
    def _costly(self) -> Path:
        return self._folder / "costly"

    def _tape(self, number: int) -> Path:
        return self._folder / f"tape-{number:04d}"

    def _path(self, number: int) -> Path:
        return self._folder / f"step-{number:04d}"
