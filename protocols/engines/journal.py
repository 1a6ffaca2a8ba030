"""What a party has been asked in one run, on disk: one file a step, each written once and for all."""

import os
import tempfile
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
        handle, draft = tempfile.mkstemp(prefix=".step-", dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            # a link, unlike a rename, fails if the name is taken
            os.link(draft, self._path(number))
        except FileExistsError:
            if self._path(number).read_bytes() != content:
                raise Abort(f"step {number} was something else before") from None
        finally:
            Path(draft).unlink()
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def forget(self) -> None:
        """Delete all steps, the last one first, and what may be secret in them."""
        for number in reversed(range(len(self.steps()))):
            self._path(number).unlink()

    def _path(self, number: int) -> Path:
        return self._folder / f"step-{number:04d}"
