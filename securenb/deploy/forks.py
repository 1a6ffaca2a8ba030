"""Runs Flower's commands as forks of one process that has imported everything; no other command is found.

Flower starts a process for every message, which would import for three seconds what never changes. A fork
shares that, and nothing else: whatever one message leaves behind ends with its process.
"""

import importlib
import json
import os
import select
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from securenb.deploy.gate import gate
from securenb.deploy.guard import guard
from securenb.deploy.launch import FOLDER, LOG, NOT_LET_IN, PATIENCE, SUPERLINK, SUPERNODE, said_since
from securenb.deploy.pace import hasten

_SUPEREXEC = {"flower-superexec": "flwr.supercore.cli:flower_superexec"}
COMMANDS = {
    SUPERLINK: {
        SUPERLINK: "flwr.superlink.cli:flower_superlink",
        "flwr-serverapp": "flwr.superlink.cli:flwr_serverapp",
        **_SUPEREXEC,
    },
    SUPERNODE: {
        SUPERNODE: "flwr.supernode.cli:flower_supernode",
        "flwr-clientapp": "flwr.supernode.cli:flwr_clientapp",
        **_SUPEREXEC,
    },
}
"""What the process of a coordinator, or of a site, can become."""

UNPACKS = {
    SUPERLINK: "flwr.superlink.runtime.run_serverapp",
    SUPERNODE: "flwr.supernode.runtime.run_clientapp",
}
"""Where Flower unpacks what it takes for an app."""

SERVES = "flwr.superlink.main"
"""Where Flower makes what the coordinator's port answers with."""

LATE = {
    SUPERLINK: ("securenb.deploy.server_app", "httpcore"),
    SUPERNODE: ("securenb.deploy.client_app", "httpcore"),
}
"""What Flower imports only when it is needed, and every message needs."""

REAP_SECONDS = 0.2
AGAIN_SECONDS = 1.0
"""Between two attempts of a node to be let in."""

LONGEST_REQUEST = 1 << 16


class Forks:
    """The process that all others of a coordinator, or of a site, are forks of.

    Parameters
    ----------
    commands
        What they can become: names, and functions as ``module:function``.
    """

    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands
        for place in commands.values():
            importlib.import_module(place.partition(":")[0])
        # datagrams: every request arrives whole, whichever fork it came from
        self._requests, self._ask = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    def run(
        self, arguments: Sequence[str], *, for_good: bool = False, again: Callable[[], bool] = lambda: False
    ) -> int:
        """Become, in forks, what `arguments` and later requests say; the exit code of the first one.

        With `for_good`, the first one is started again when it ends without an error; and when it ends with
        one, for as long as `again` says so.
        """
        first = self._fork(arguments)
        while True:
            if select.select([self._requests], [], [], REAP_SECONDS)[0]:
                self._fork(json.loads(self._requests.recv(LONGEST_REQUEST)))
            while (done := os.waitpid(-1, os.WNOHANG))[0]:
                if done[0] != first:
                    continue
                code = os.waitstatus_to_exitcode(done[1])
                if not for_good if code == 0 else not again():
                    return code
                first = self._fork(arguments)

    def _fork(self, arguments: Sequence[str]) -> int:
        """Fork a process that becomes a command; its id."""
        if pid := os.fork():
            return pid
        subprocess.Popen = self._popen  # type: ignore[assignment, misc]
        sys.argv = list(arguments)
        module, _, function = self._commands[arguments[0]].partition(":")
        code: object = 1
        try:
            code = getattr(importlib.import_module(module), function)()
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        # not `sys.exit`: taking apart what all forks share would cost each more than its work
        os._exit(code if isinstance(code, int) else int(code is not None))

    def _popen(self, arguments: Sequence[str], **options: Any) -> SimpleNamespace:
        """What Flower starts processes with; the new one ends with our group, whichever fork asked for it."""
        if arguments[0] not in self._commands:
            raise FileNotFoundError(f"{arguments[0]} is not started here")
        self._ask.send(json.dumps(list(arguments)).encode())
        return SimpleNamespace(terminate=lambda: None, wait=lambda **_: 0)


class Patience:
    """Whether a node that was not let in tries again: a killed one is taken for connected for a while.

    Parameters
    ----------
    log
        What its attempts write into.
    seconds
        For so long from now on.
    """

    def __init__(self, log: Path, seconds: float) -> None:
        self._log = log
        self._until = time.monotonic() + seconds
        self._seen = 0

    def __call__(self) -> bool:
        """Ask once after each attempt; waits before it says yes."""
        refused = said_since(self._log, self._seen, NOT_LET_IN)
        self._seen = self._log.stat().st_size
        if not refused or time.monotonic() > self._until:
            return False
        time.sleep(AGAIN_SECONDS)
        return True


def main(arguments: Sequence[str]) -> int:
    """Run a command of Flower's, and whatever it starts."""
    command = arguments[0]
    forks = Forks(COMMANDS[command])
    guard(importlib.import_module(UNPACKS[command]))
    if command == SUPERLINK:
        gate(importlib.import_module(SERVES))
    hasten(command)
    for module in LATE[command]:
        importlib.import_module(module)
    # a coordinator that was started anew knows no node, and nodes that it does not know end: they join again
    patience = Patience(Path(os.environ[FOLDER]) / LOG, float(os.environ.get(PATIENCE, "0")))
    return forks.run(arguments, for_good=command == SUPERNODE, again=patience)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
