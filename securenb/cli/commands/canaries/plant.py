"""`securenb canaries plant`: files of made-up records for nodes of a deployment."""

from pathlib import Path
from typing import Annotated

import typer

from attacks.audit.canaries import plant
from attacks.audit.canary_files import write_canaries
from securenb.cli import console
from securenb.experiments.run_folder import run_folder
from securenb.randomness import Streams
from securenb.schema.toml import read_schema


def command(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its readers know the coins.")],
    schema: Annotated[Path, typer.Option(help="The public schema of the deployment, in TOML.")],
    nodes: Annotated[str, typer.Option(help="Nodes that hold canaries, separated by commas.")],
    count: Annotated[int, typer.Option(help="Canaries in each round.")] = 10,
    rounds: Annotated[int, typer.Option(help="Rounds that will be run, each with canaries of its own.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Makes the coins repeatable, and no secret.")] = None,
) -> None:
    """Make `round-1/NODE.csv` … to join with, and `before/NODE.csv` for a round without canaries."""
    names = [name.strip() for name in nodes.split(",") if name.strip()]
    if rounds < 1:
        raise ValueError(f"needs at least one round, got {rounds}")
    streams, described = Streams(seed), read_schema(schema)
    planted = [plant(described, names, count, streams.rng("canaries", str(index))) for index in range(rounds)]
    with run_folder(folder) as draft:
        write_canaries(draft, planted)
    console.say(f"planted {count * rounds} canaries at {len(names)} nodes for {rounds} rounds in {folder}")
    console.say(f"next: `securenb deploy join NODE --data {folder}/round-1/NODE.csv`, and run a round")
