"""`securenb deploy init`: keys, certificates and configuration of a deployment."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.deploy.folder import PARTIES, init


def command(
    folder: Annotated[Path, typer.Argument(help="The folder to make.")],
    schema: Annotated[Path, typer.Option(help="The public schema of the records, in TOML.")],
    sites: Annotated[str, typer.Option(help="Names of the sites, separated by commas.")],
    protocols: Annotated[
        str, typer.Option(help="Protocols that sites will agree to, separated by commas; trustees follow.")
    ],
    address: Annotated[str, typer.Option(help="host:port at which sites reach the coordinator.")],
    listen: Annotated[
        str, typer.Option(help="The coordinator's own address to listen on; 0.0.0.0 for all.")
    ] = "127.0.0.1",
) -> None:
    """Make a folder with keys, certificates and a configuration to edit for every party."""
    parties = init(folder, schema, _names(sites), _names(protocols), address, listen)
    console.say(f"made {folder}: coordinator/, and in {PARTIES}/ a folder for each of {', '.join(parties)}")
    console.say(f"next: edit the site.toml of each site, then `securenb deploy up {folder}`")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
