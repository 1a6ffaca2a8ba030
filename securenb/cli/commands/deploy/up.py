"""`securenb deploy up`: start the coordinator."""

import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.deploy import launch, processes
from securenb.deploy.coordinator import Coordinator
from securenb.deploy.folder import COORDINATOR, NODE_KEYS
from securenb.deploy.health import certificate

START_SECONDS = 90


def command(folder: Annotated[Path, typer.Argument(help="The deployment's folder.")]) -> None:
    """Start the coordinator in the background, and register the nodes' keys with it."""
    launch.require()
    own = (folder / COORDINATOR).absolute()
    settings = Coordinator(own).settings
    for name in ("ca.pem", "server.pem"):
        found = certificate(own / name, datetime.now(UTC))
        if found.state == "broken":
            raise ValueError(f"{found.said}; {found.mend}")
    launch.connect(own, settings.here)
    start = launch.coordinator(own, settings.listen, settings.port)
    process = processes.start(own, start.arguments, start.environment, own / launch.LOG)
    try:
        _register(own, process)
    except BaseException:
        processes.end(own)
        raise
    console.say(f"the coordinator listens on {settings.listen}:{settings.port} (process {process.pid})")


def _register(own: Path, process: "subprocess.Popen[bytes]") -> None:
    """Register the nodes' keys; patiently, for the coordinator may still be starting."""
    register = launch.register(own, sorted((own / NODE_KEYS).glob("*.pub")))
    until = time.monotonic() + START_SECONDS
    while True:
        done = subprocess.run(  # noqa: S603 - the arguments are ours
            register.arguments, env=register.environment, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return
        if process.poll() is not None or time.monotonic() > until:
            last = launch.last_line(done.stdout + done.stderr)
            raise ValueError(f"the coordinator does not work, see {own / launch.LOG}: {last}")
        time.sleep(0.5)
