"""`securenb deploy key`: a party's own keys, made where the party is."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.deploy.public_keys import PUBLIC, make_keys


def command(
    folder: Annotated[Path, typer.Argument(help="The party's folder; made if need be.")],
    party: Annotated[str, typer.Option(help="The party's name in the deployment.")],
) -> None:
    """Make a site's or trustee's keys; only their public halves go to the coordinator."""
    make_keys(folder, party)
    console.say(f"send {folder / PUBLIC} to the coordinator; the two .key files never leave this machine")
