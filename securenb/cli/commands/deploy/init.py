"""`securenb deploy init`: certificates and configuration of a deployment."""

from pathlib import Path
from typing import Annotated

import typer

from protocols.spec import listed
from securenb.cli import console
from securenb.deploy.folder import PARTIES, init
from securenb.deploy.public_keys import read_public_keys


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
    key: Annotated[
        list[Path] | None,
        typer.Option(help="A party's public.toml, from its `securenb deploy key`; once for every party."),
    ] = None,
    trial: Annotated[  # noqa: FBT002 - a flag of the command line
        bool, typer.Option("--trial", help="Make all parties' secret keys here: all machines are yours.")
    ] = False,
) -> None:
    """Make a folder with certificates and a configuration to edit for every party."""
    if trial == bool(key):
        raise ValueError(
            "name each party's public keys with --key; or, only if all machines are yours, make them: --trial"
        )
    keys = None if trial else [read_public_keys(path) for path in key or ()]
    parties = init(folder, schema, _names(sites), listed(protocols), address, listen, keys)
    console.say(f"made {folder}: coordinator/, and in {PARTIES}/ a folder for each of {', '.join(parties)}")
    if trial:
        console.say("a trial: all parties' secret keys were made here")
    console.say(f"next: hand out the folders, then `securenb deploy up {folder}`")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
