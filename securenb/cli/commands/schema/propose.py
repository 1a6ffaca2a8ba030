"""`securenb schema propose`: a schema to edit, from public records."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.data.draft import MOST_LEVELS, propose_schema


def command(
    file: Annotated[Path, typer.Argument(help="A file of PUBLIC or synthetic records; - for stdin.")],
    label: Annotated[str, typer.Option(help="The column to be predicted.")],
    most_levels: Annotated[
        int, typer.Option(help="Leave out columns of more different texts: a schema publishes them.")
    ] = MOST_LEVELS,
) -> None:
    """Print a schema proposed from public records; bounds and levels must be public, so edit it."""
    console.say(propose_schema(file, label, most_levels).rstrip())
