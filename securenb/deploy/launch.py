"""How Flower is started: every flag, environment variable and file name of Flower's stands here.

Flower ships the coordinator's app to every site, and would run whatever is in it. Its processes therefore
find no command on their PATH; `securenb.deploy.forks` starts what they need, with no app but ours in it.
"""

import importlib.util
import json
import os
import re
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_DECORATION = re.compile(r"\x1b\[[0-9;]*m")

CONNECTION = "securenb"
"""The name of the coordinator in Flower's configuration."""

SUPERLINK, SUPERNODE = "flower-superlink", "flower-supernode"
"""Flower's commands for a coordinator and for a site."""

SERVER_APP = "securenb.deploy.server_app:app"
CLIENT_APP = "securenb.deploy.client_app:app"

FOLDER = "SECURENB_FOLDER"
"""The environment variable that tells an app its folder."""

PATIENCE = "SECURENB_PATIENCE"
"""The environment variable that tells a site for how many seconds it tries again when it is not let in."""

LOG = "flower.log"
"""The file in a party's folder that has what Flower says."""

ROUND = "round"
"""The one thing that a run is told: which of the coordinator's rounds it is."""


@dataclass(frozen=True)
class Launch:
    """A process to start."""

    arguments: tuple[str, ...]
    environment: dict[str, str]


def app_file() -> str:
    """The whole Flower app: one `pyproject.toml` that points into this package."""
    return f"""[project]
name = "securenb-round"
version = "1.0.0"
description = "One round of securenb; everything is in the installed package."
license = "Apache-2.0"
dependencies = []

[tool.flwr.app]
publisher = "securenb"

[tool.flwr.app.components]
serverapp = "{SERVER_APP}"
clientapp = "{CLIENT_APP}"

[tool.flwr.app.config]
{ROUND} = ""
"""


def coordinator(folder: Path, listen: str, port: int) -> Launch:
    """The SuperLink, with TLS, for registered nodes only."""
    arguments = (
        *("--ssl-ca-certfile", str(folder / "ca.pem")),
        *("--ssl-certfile", str(folder / "server.pem"), "--ssl-keyfile", str(folder / "server.key")),
        "--enable-supernode-auth",
        "--disable-runtime-dependency-installation",
        *("--host", listen, "--port", str(port)),
    )
    return _forks(folder, SUPERLINK, arguments)


def site(folder: Path, party: str, address: str, patience: float = 0.0) -> Launch:
    """A SuperNode, which calls the coordinator; it asks for `patience` seconds to be let in."""
    arguments = (
        *("--root-certificates", str(folder / "ca.pem")),
        *("--auth-supernode-private-key", str(folder / "node.key")),
        *("--superlink", address, "--port", str(free_port())),
        *("--node-config", f"party={json.dumps(party)}"),
    )
    start = _forks(folder, SUPERNODE, arguments)
    return Launch(start.arguments, {**start.environment, PATIENCE: str(patience)})


def register(folder: Path, public_keys: Sequence[Path]) -> Launch:
    """Tell the running coordinator of nodes' keys; it says nothing of those that it knows."""
    return Launch((*_python(_REGISTER), *map(str, public_keys)), _environment(folder))


_REGISTER = f"""
import contextlib, io, sys
from flwr.cli.app import app

for key in sys.argv[1:]:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            app(["supernode", "register", key, "{CONNECTION}"])
    except SystemExit as ended:
        if ended.code and "already in use" not in said.getvalue():
            sys.exit(said.getvalue())
"""
"""One process for all keys, for Flower takes a second to be imported."""


def submit(folder: Path, app: Path, name: str) -> Launch:
    """Start the round `name`."""
    return _control(folder, ("run", str(app), CONNECTION, "--run-config", f'{ROUND}="{name}"'))


def connect(folder: Path, address: str) -> None:
    """Write Flower's configuration of the coordinator's own command line."""
    home = _home(folder)
    home.mkdir(parents=True, exist_ok=True)
    lines = ["[superlink]", f'default = "{CONNECTION}"', f"[superlink.{CONNECTION}]"]
    lines += [f'address = "{address}"', f'root-certificates = "{folder / "ca.pem"}"']
    (home / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def free_port() -> int:
    """A port of this machine that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _forks(folder: Path, command: str, arguments: tuple[str, ...]) -> Launch:
    start = (sys.executable, "-P", "-m", "securenb.deploy.forks", command, *arguments)
    return Launch(start, _environment(folder))


def _control(folder: Path, arguments: tuple[str, ...]) -> Launch:
    code = "import sys; from flwr.cli.app import app; sys.argv[0] = 'flwr'; sys.exit(app())"
    return Launch((*_python(code), *arguments), _environment(folder))


def _python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-P", "-c", code)


def _home(folder: Path) -> Path:
    return folder / "flower"


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": os.devnull,
        # one thread before a fork; parties count in integers, which need no more
        "OPENBLAS_NUM_THREADS": "1",
        # an address that a request claims for itself counts for nothing: see `securenb.deploy.gate`
        "FORWARDED_ALLOW_IPS": "",
        "FLWR_HOME": str(_home(folder)),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        FOLDER: str(folder),
    }


def require() -> None:
    """Raise `ValueError`, with the remedy, unless Flower is installed."""
    if importlib.util.find_spec("flwr") is None:
        raise ValueError('many machines need Flower: python3 -m pip install "securenb[flower]"')


def last_line(output: str) -> str:
    """What Flower's command line said last, without its decoration."""
    lines = [_DECORATION.sub("", line).strip(" │╭╮╰╯─") for line in output.splitlines()]
    return next((line for line in reversed(lines) if line), "it gave no reason")


def said_since(log: Path, seen: int, mark: str) -> str:
    """What follows `mark`, to the end of the line, in a log after its first `seen` bytes; or nothing."""
    text = log.read_bytes()[seen:].decode("utf-8", errors="replace")
    found = re.search(re.escape(mark) + ".*", text)
    return found.group() if found else ""


def reason(log: Path) -> str:
    """Why a Flower process ended, from its log."""
    text = log.read_text(encoding="utf-8", errors="replace")
    for mark, meaning in REASONS.items():
        if mark in text:
            return meaning
    return last_line(text)


def was_connected(log: Path) -> bool:
    """Whether a site's log says that the coordinator had let it in."""
    return "SuperNode ID:" in log.read_text(encoding="utf-8", errors="replace")


NOT_LET_IN = "Failed to activate SuperNode"
UNKNOWN = "the coordinator does not know this node's key, see node-keys/"

REASONS = {
    "CERTIFICATE_VERIFY_FAILED": "the coordinator's certificate is not signed by our ca.pem",
    NOT_LET_IN: UNKNOWN,
}
