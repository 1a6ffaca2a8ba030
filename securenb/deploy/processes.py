"""Starts processes that outlive a command, and ends them with everything that they started."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

RECORD = "process"
"""The file in a folder that says which process works for it."""


def start(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, and note it in `folder`.

    Raises
    ------
    ValueError
        If one works for the folder already.
    """
    if (running := alive(folder)) is not None:
        raise ValueError(f"process {running} works for {folder} already; `securenb deploy down` ends it")
    if log.exists():
        log.replace(log.with_name(log.name + ".old"))
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - the arguments are ours
            arguments,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    (folder / RECORD).write_text(f"{process.pid} {_born(process.pid)}\n", encoding="ascii")
    return process


def alive(folder: Path) -> int | None:
    """The id of the process that works for a folder, or whose children still do."""
    try:
        pid, _, born = (folder / RECORD).read_text(encoding="ascii").strip().partition(" ")
    except OSError:
        return None
    leader = _born(int(pid))
    # a number is given again to others: it is ours if it was born when ours was, or its group lives on
    if leader == born or (leader == "" and _members(int(pid))):
        return int(pid)
    return None


def end(folder: Path, patience: float = 10.0) -> int:
    """End the folder's process and everything that it started; how many there were."""
    pid = alive(folder)
    count = 0
    if pid is not None:
        count = len(_members(pid))
        for how, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
            _signal(pid, how)
            until = time.monotonic() + seconds
            while _members(pid) and time.monotonic() < until:
                time.sleep(0.1)
            if not _members(pid):
                break
    (folder / RECORD).unlink(missing_ok=True)
    return count


def _signal(group: int, how: signal.Signals) -> None:
    try:
        os.killpg(group, how)
    except ProcessLookupError:
        return


def _members(group: int) -> list[int]:
    """Processes of a group that still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(entry.name))
        if fields and int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def _born(pid: int) -> str:
    """When a process started, in ticks since boot; empty if there is none."""
    fields = _fields(pid)
    return fields[19] if fields and fields[0] != "Z" else ""


def _fields(pid: int) -> list[str]:
    """What `/proc` says of a process, from its state on: state, parent, group, and so on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (OSError, UnicodeDecodeError):
        return []
