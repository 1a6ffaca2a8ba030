"""`securenb scale`: what a protocol costs a node, against the number of nodes."""

from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from protocols.protocol import PROTOCOLS
from securenb.cli import console
from securenb.cli.options import Json, Out, Overwrite, WithReport, report_page, write_report
from securenb.experiments.progress import parts
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.scale import COSTS, scale, slope
from securenb.experiments.tables import write_table
from securenb.report.sections.scaling import TITLE

Streamed = Annotated[
    bool, typer.Option("--streamed", help="Make nodes one after another: memory for 100,000 that speak once.")
]


@dataclass(frozen=True)
class Scaled:
    """What a manifest keeps of a run."""

    protocol: str
    nodes: tuple[int, ...]
    length: int
    seed: int
    streamed: bool = False

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """As a scenario gives itself to the manifest."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def command(
    protocol: Annotated[
        str, typer.Option(help="The secure sum, as `secagg(profile=semi-honest)`.")
    ] = "secagg_plus",
    nodes: Annotated[str, typer.Option(help="Numbers of nodes, separated by commas.")] = "100,1000",
    length: Annotated[int, typer.Option(help="Coordinates of a vector.")] = 1000,
    seed: Annotated[int, typer.Option(help="Random vectors and keys come from it.")] = 7,
    streamed: Streamed = False,  # noqa: FBT002 - flags of the command line
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Run a protocol on random vectors; bytes and time per node against the number of nodes, with slopes."""
    page = report_page(out, wanted=report)
    chosen = PROTOCOLS.build(protocol)
    made = Scaled(repr(chosen), _numbers(nodes), length, seed, streamed)
    with parts() as part:
        if out is None:
            table = scale(protocol, chosen, made.nodes, length, seed, progress=part, streamed=streamed)
        else:
            with run_folder(out, overwrite=overwrite) as folder:
                table = scale(protocol, chosen, made.nodes, length, seed, progress=part, streamed=streamed)
                write_table(table, folder / "results.csv")
                write_manifest(folder, made)
    write_report(page)
    if json:
        console.show_json(table.to_dict(orient="records"))
        return
    columns = ["nodes", "up/node", "down/node", "CPU/node", "CPU aggregator/node", "CPU whole run"]
    lines = [
        [
            f"{row['nodes']:,}",
            f"{row['sent']:,.0f} B",
            f"{row['received']:,.0f} B",
            *(console.seconds(row[cost]) for cost in ("node_cpu", "aggregator_cpu", "process_cpu")),
        ]
        for row in table.to_dict(orient="records")
    ]
    console.show_table(f"{made.protocol}, {length:,} coordinates, one group", columns, lines)
    for cost in COSTS:
        power = slope(table, cost)
        if power is not None:
            console.say(f"{TITLE[cost]:<26} grows as n^{power:.2f} per node")
    if out is not None:
        console.say(f"written to {out}: results.csv, manifest.json")


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--nodes is numbers separated by commas, got {text!r}") from None
