"""`securenb judge`: other people's secure sums, private releases and robust rules, through an adapter."""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from attacks.judging.check import CHECKS, Effort
from attacks.judging.outcome import COLUMNS, Outcome, Result, exit_code
from attacks.judging.run import judge
from attacks.toolkit.foreign import MEGABYTES
from securenb.cli import console
from securenb.cli.options import Json, Out, Overwrite
from securenb.experiments.progress import steps
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.tables import write_table

STEPS = 20
"""Checks of an adapter, about."""


@dataclass(frozen=True)
class Choices:
    """What was asked, for the manifest."""

    adapter: Path
    python: str
    checks: tuple[str, ...] | None
    effort: Effort

    @property
    def seed(self) -> None:
        """What is judged draws its own randomness: no seed repeats it."""
        return

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """The choices, as JSON values."""
        return {**asdict(self), "adapter": str(self.adapter)}


def command(
    adapter: Annotated[Path, typer.Argument(help="A Python file of plain functions that drives the code.")],
    python: Annotated[
        str | None, typer.Option(help="The interpreter that has the code; by default this one.")
    ] = None,
    checks: Annotated[
        str | None, typer.Option(help="Names of checks, separated by commas; by default all.")
    ] = None,
    epsilon: Annotated[float, typer.Option(help="That releases are asked for.")] = 1.0,
    runs: Annotated[int, typer.Option(help="Of a release, on each input and in each audit.")] = 20_000,
    seconds: Annotated[float, typer.Option(help="What one audit of a release may take.")] = 10.0,
    longest: Annotated[float, typer.Option(help="Seconds that one answer of the adapter may take.")] = 30.0,
    memory: Annotated[int, typer.Option(help="Megabytes that the interpreter may use.")] = MEGABYTES,
    seed: Annotated[int, typer.Option(help="Of vectors, rows and audits.")] = 0,
    out: Out = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    json: Json = False,  # noqa: FBT002
) -> int:
    """Judge a secure sum, private releases or robust rules by an adapter; docs/how-to/judge.md has one.

    The exit code is 1 if anything is wrong silently, opened, hangs or is withheld, 3 if something could not
    be settled, 0 otherwise.
    """
    chosen = None if checks is None else tuple(name.strip() for name in checks.split(","))
    effort = Effort(epsilon, runs, seconds, seed=seed)
    where = python or sys.executable
    with steps(STEPS) as step:
        results = judge(
            adapter, where, checks=chosen, effort=effort, seconds=longest, megabytes=memory, progress=step
        )
    if out is not None:
        with run_folder(out, overwrite=overwrite) as folder:
            write_table(
                pd.DataFrame([each.to_dict() for each in results], columns=COLUMNS), folder / "results.csv"
            )
            write_manifest(folder, Choices(adapter, where, chosen, effort))
    if json:
        console.show_json([each.to_dict() for each in results])
    else:
        _show(results)
    return exit_code(results)


def _show(results: list[Result]) -> None:
    first = results[0] if results else None
    title = f"{first.peer} {first.version}, level {first.level}" if first else "nothing to judge"
    lines = [
        [
            each.subject,
            each.check,
            ", ".join(part for part in (each.adjacency, each.case) if part),
            each.outcome.value,
            each.reason,
        ]
        for each in results
    ]
    console.show_table(title, ["subject", "check", "case", "outcome", "reason"], lines)
    counts = {outcome: sum(each.outcome is outcome for each in results) for outcome in Outcome}
    console.say(", ".join(f"{count} {outcome.value}" for outcome, count in counts.items() if count))
    if not results:
        console.say(f"the adapter has no run(), releases() or rules() for {', '.join(CHECKS)}")
