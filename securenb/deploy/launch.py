"""How Flower is started: every flag, environment variable and file name of Flower's stands here.

Flower ships the coordinator's app to every site, and would run whatever is in it. What is on the PATH of
our processes therefore is a folder with two commands and nothing else: Flower's dispatcher, and a guard
(`securenb.deploy.guard`) that accepts no app but ours.
"""

import importlib.util
import json
import os
import re
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

_DECORATION = re.compile(r"\x1b\[[0-9;]*m")

CONNECTION = "securenb"
"""The name of the coordinator in Flower's configuration."""

SERVER_APP = "securenb.deploy.server_app:app"
CLIENT_APP = "securenb.deploy.client_app:app"

FOLDER = "SECURENB_FOLDER"
"""The environment variable that tells an app its folder."""

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
        # on disk: sites that are connected must be known again to a coordinator that comes back
        *("--database", str(_home(folder) / "state.db")),
        "--disable-runtime-dependency-installation",
        *("--host", listen, "--port", str(port)),
    )
    command = _entry("flwr.superlink.cli", "flower_superlink", arguments)
    return Launch(command, _environment(folder, "serverapp"))


def site(folder: Path, party: str, address: str) -> Launch:
    """A SuperNode that calls the coordinator; nobody has to call it."""
    arguments = (
        *("--root-certificates", str(folder / "ca.pem")),
        *("--auth-supernode-private-key", str(folder / "node.key")),
        *("--superlink", address, "--port", str(free_port())),
        *("--node-config", f"party={json.dumps(party)}"),
    )
    command = _entry("flwr.supernode.cli", "flower_supernode", arguments)
    return Launch(command, _environment(folder, "clientapp"))


def register(folder: Path, public_key: Path) -> Launch:
    """Tell the running coordinator of a node's key."""
    return _control(folder, ("supernode", "register", str(public_key), CONNECTION))


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
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _control(folder: Path, arguments: tuple[str, ...]) -> Launch:
    return Launch(_entry("flwr.cli.app", "app", arguments), _environment(folder, "serverapp"))


def _home(folder: Path) -> Path:
    return folder / "flower"


def _entry(module: str, function: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    code = f"import sys; sys.argv[0] = {function!r}; from {module} import {function}; sys.exit({function}())"
    return (sys.executable, "-P", "-c", code, *arguments)


def _environment(folder: Path, app: str) -> dict[str, str]:
    commands = _home(folder) / "bin"
    commands.mkdir(parents=True, exist_ok=True)
    superexec = "from flwr.supercore.cli import flower_superexec; flower_superexec()"
    _script(commands / "flower-superexec", f'-P -c "{superexec}"')
    _script(commands / f"flwr-{app}", f"-P -m securenb.deploy.guard {app}")
    return {
        **os.environ,
        "PATH": str(commands),
        "FLWR_HOME": str(_home(folder)),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.2",
        FOLDER: str(folder),
    }


def _script(path: Path, what: str) -> None:
    draft = path.with_name(path.name + ".new")
    draft.write_text(f'#!/bin/sh\nexec "{sys.executable}" {what} "$@"\n', encoding="utf-8")
    draft.chmod(0o755)
    draft.replace(path)


def require() -> None:
    """Raise `ValueError`, with the remedy, unless Flower is installed."""
    if importlib.util.find_spec("flwr") is None:
        raise ValueError('many machines need Flower: python3 -m pip install "securenb[flower]"')


def last_line(output: str) -> str:
    """What Flower's command line said last, without its decoration."""
    lines = [_DECORATION.sub("", line).strip(" │╭╮╰╯─") for line in output.splitlines()]
    return next((line for line in reversed(lines) if line), "it gave no reason")


def reason(log: Path) -> str:
    """Why a Flower process ended, from its log."""
    text = log.read_text(encoding="utf-8", errors="replace")
    for mark, meaning in REASONS.items():
        if mark in text:
            return meaning
    return last_line(text)


REGISTERED = "already in use"
"""What Flower says of a node's key that it knows."""

REASONS = {
    "CERTIFICATE_VERIFY_FAILED": "the coordinator's certificate is not signed by our ca.pem",
    "Failed to activate SuperNode": "the coordinator does not know this node's key, see node-keys/",
}
