"""What was released already: a promise of one release survives the run that made it.

Answers the second release (a new survivor list, the same nodes), which would open a difference of two sums.
"""

import os
from pathlib import Path

from protocols.canonical import digest
from protocols.errors import Abort
from protocols.party import PartyId
from protocols.session import Session
from protocols.session_rules import SessionRule


class Releases:
    """The sessions in which a party has released something.

    Parameters
    ----------
    folder
        Where they are kept, one empty file each, so that they outlive the process; `None` keeps them
        only as long as this object. Processes may share a folder.

    Raises
    ------
    ValueError
        If the folder is not one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None and not folder.is_dir():
            raise ValueError(f"{folder} is no folder to keep releases in")
        self._folder = folder
        self._place = None if folder is None else _place(folder)
        self._claimed: set[str] = set()

    def claim(self, party: PartyId, session: Session) -> None:
        """Claim the one release of `party` in `session`: to be called before it says anything of it.

        A session is told by its id: another survivor list or threshold makes no other session.

        Raises
        ------
        Abort
            If it was claimed before, by whatever process; or if the folder is gone, or is another one
            than it was: what was released before is then forgotten.
        """
        name = digest("securenb release", party, session.id).hex()
        if name in self._claimed or not self._keep(name):
            raise Abort(
                SessionRule.ONE_RELEASE.broken(
                    f"{party} has released its part of session {session.id.hex()} before"
                )
            )
        self._claimed.add(name)

    def _keep(self, name: str) -> bool:
        if self._folder is None:
            return True
        try:
            unchanged = _place(self._folder) == self._place
        except FileNotFoundError:
            unchanged = False
        if not unchanged:
            raise Abort(
                SessionRule.ONE_RELEASE.broken(
                    f"the folder {self._folder.name}, which remembers what was released, is gone or another "
                    "one; put it back"
                )
            )
        try:
            # creating the file is the claim: of two processes only one succeeds
            os.close(os.open(self._folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return True


def _place(folder: Path) -> tuple[int, int]:
    """What tells this folder from one that is made anew in its place."""
    found = folder.stat()
    return found.st_dev, found.st_ino
