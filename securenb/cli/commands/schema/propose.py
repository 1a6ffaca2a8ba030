"""`securenb schema propose`: a schema to edit, from public records."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.schema.draft import propose_schema


def command(
    file: Annotated[Path, typer.Argument(help="A CSV file of PUBLIC or synthetic records.")],
    label: Annotated[str, typer.Option(help="The column to be predicted.")],
) -> None:
    """Print a schema proposed from public records; bounds and levels must be public, so edit it."""
    console.say(propose_schema(file, label).rstrip())
