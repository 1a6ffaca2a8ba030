"""One round at a time, and a round that is known to have ended when its process has.

Both are locks of the operating system on files in the coordinator's folder: they end with the process that
holds them, however it ends.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ORDERING = "ordering"
"""The file in the coordinator's folder that is locked by the command that runs a round."""

RUNNING = "running"
"""The file in a round's folder that is locked by the process that runs it."""


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a file.

    Raises
    ------
    BlockingIOError
        If another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def is_held(path: Path) -> bool:
    """Whether a process holds the lock of a file."""
    if not path.exists():
        return False
    try:
        with held(path):
            return False
    except BlockingIOError:
        return True
