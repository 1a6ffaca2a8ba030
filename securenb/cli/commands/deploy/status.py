"""`securenb deploy status`: who works here, and what the last rounds came to."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.deploy import processes
from securenb.deploy.coordinator import PROGRESS, Coordinator
from securenb.deploy.folder import COORDINATOR, PARTIES
from securenb.deploy.log import Log


def command(folder: Annotated[Path, typer.Argument(help="The deployment's folder.")]) -> None:
    """Show the processes of this machine, and the deployment's rounds."""
    own = folder / COORDINATOR
    for place in [own, *sorted((folder / PARTIES).glob("*"))]:
        pid = processes.alive(place)
        console.say(f"{place.name:<20} {'not running here' if pid is None else f'process {pid}'}")
    for round_ in Coordinator(own).rounds():
        lines = Log(round_ / PROGRESS).lines()
        last = lines[-1] if lines else {"event": "never begun"}
        joined = [str(line["party"]) for line in lines if line["event"] == "joined"]
        left = [f"{line['party']} ({line['why']})" for line in lines if line["event"] == "left"]
        console.say(f"round {round_.name}: {last['event']} {last.get('why', '')}".rstrip())
        console.say(f"  joined: {', '.join(joined) or 'none'}; left: {', '.join(left) or 'none'}")
