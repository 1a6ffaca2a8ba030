"""`securenb deploy renew`: new certificates for the coordinator."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.deploy import processes
from securenb.deploy.coordinator import Coordinator
from securenb.deploy.folder import COORDINATOR
from securenb.deploy.keys import replace_certificates


def command(folder: Annotated[Path, typer.Argument(help="The deployment's folder.")]) -> None:
    """Make new certificates; all keys of parties, limits and ledgers stay as they are."""
    own = (folder / COORDINATOR).absolute()
    host = Coordinator(own).settings.address.rpartition(":")[0]
    if processes.alive(own) is not None:
        raise ValueError(f"the coordinator is running: first `securenb deploy down {folder}`")
    replace_certificates(own, host)
    console.say(f"made {own / 'ca.pem'}: bring it to every party, who puts it in place of its own ca.pem")
    console.say(f"next: `securenb deploy up {folder}`; parties join again")
