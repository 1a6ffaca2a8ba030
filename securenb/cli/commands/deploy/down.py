"""`securenb deploy down`: end everything that runs for a folder."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.deploy import processes
from securenb.deploy.folder import COORDINATOR, PARTIES


def command(
    folder: Annotated[Path, typer.Argument(help="The deployment's folder, or one party's.")],
) -> None:
    """End coordinator and parties of this machine, with everything that they started."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    ended = 0
    # the coordinator first: it must not take parties for dropped out
    own = folder / COORDINATOR  # in a party's folder, a file that says where to find one
    places = [own, *sorted((folder / PARTIES).glob("*"))] if own.is_dir() else [folder]
    for place in places:
        ended += processes.end(place)
    console.say(f"ended {ended} processes")
