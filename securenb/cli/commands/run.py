"""`securenb run`: any sweep that a TOML file describes."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from attacks.sweeps.breakdown import BreakdownGrid, measure_breakdown, summary_of_breakdowns
from attacks.sweeps.deviations import DeviationGrid, measure_deviation, summary_of_deviations
from attacks.sweeps.inferences import InferenceGrid, measure_inference, summary_of_inferences
from attacks.sweeps.poisoning_grid import Study
from securenb.cli import console
from securenb.cli.commands.attack import run_attack
from securenb.cli.options import Json, Overwrite, WithReport, report_page, write_report
from securenb.experiments.checked import checked
from securenb.experiments.intervals import DETAILS
from securenb.experiments.progress import batches
from securenb.experiments.rounds import Sweep, measure_round, summary_of_rounds
from securenb.experiments.run_folder import write_manifest
from securenb.experiments.sweep import Measure, run_cells, sweep_folder
from securenb.experiments.tables import write_table

Grid = Study | BreakdownGrid | Sweep | DeviationGrid


@dataclass(frozen=True)
class Kind:
    """A kind of sweep beside attacks, which have pictures and a command of their own."""

    grid: type[BreakdownGrid | Sweep | DeviationGrid]
    measure: Measure
    summary: Callable[[pd.DataFrame], pd.DataFrame]
    title: str


KINDS = {
    "round": Kind(Sweep, measure_round, summary_of_rounds, "balanced accuracy"),
    "breakdown": Kind(
        BreakdownGrid, measure_breakdown, summary_of_breakdowns, "malicious nodes that break a rule"
    ),
    "inference": Kind(
        InferenceGrid, measure_inference, summary_of_inferences, "right conclusions; lucky: without the view"
    ),
    "deviation": Kind(DeviationGrid, measure_deviation, summary_of_deviations, "what became of the runs"),
}


def command(
    sweep: Annotated[
        Path,
        typer.Argument(
            help="A TOML file with a table [attack], [round], [breakdown], [inference] or [deviation]."
        ),
    ],
    out: Annotated[Path, typer.Option(help="A folder for results and manifest.")],
    jobs: Annotated[int, typer.Option(help="Processes; -1 for all cores.")] = -1,
    backend: Annotated[str, typer.Option(help="joblib's: loky, sequential, dask, ray.")] = "loky",
    workers: Annotated[
        str | None, typer.Option(help="Address of a Dask or Ray cluster; by default one is made here.")
    ] = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Measure every combination of the lists in a file; ask again after an interruption to go on."""
    grid = read(sweep)
    if isinstance(grid, Study):
        run_attack(
            grid,
            out,
            jobs=jobs,
            backend=backend,
            address=workers,
            overwrite=overwrite,
            report=report,
            json=json,
        )
        return
    kind = next(kind for kind in KINDS.values() if type(grid) is kind.grid)
    cells = grid.cells()
    with sweep_folder(out, grid, overwrite=overwrite) as (folder, progress):
        with batches(len(cells), len(progress.finished)) as step:
            table = run_cells(
                cells,
                kind.measure,
                progress,
                jobs=jobs,
                backend=backend,
                address=workers,
                watch=lambda _: step("cells"),
            )
        write_table(table, folder / "results.csv")
        summary = kind.summary(table)
        write_table(summary, folder / "summary.csv")
        write_manifest(folder, grid)
    write_report(report_page(out, wanted=report))
    if json:
        console.show_json(table.to_dict(orient="records"))
        return
    summary = summary.drop(columns=[name for name in DETAILS if name in summary])
    lines = [
        [f"{value:.4f}" if isinstance(value, float) else str(value) for value in line]
        for line in summary.itertuples(index=False)
    ]
    console.show_table(kind.title, list(summary.columns), lines)
    console.say(f"written to {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")


def read(path: Path) -> Grid:
    """The sweep that a file describes.

    Raises
    ------
    ValueError
        If it is no TOML, or has anything unknown in it.
    """
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    names = ["attack", *KINDS]
    tables = [name for name in names if name in content]
    if len(tables) != 1 or not isinstance(content[tables[0]], dict):
        raise ValueError(f"{path} must have one table, [{'], ['.join(names[:-1])}] or [{names[-1]}]")
    (name,) = tables
    choices = content.pop(name)
    grid: type[Grid] = Study if name == "attack" else KINDS[name].grid
    if issubclass(grid, Sweep):
        own = grid.model_fields.keys() - Sweep.model_fields.keys()
        content |= {key: choices.pop(key) for key in own & choices.keys()}
        return checked(grid, choices=choices, **content)
    if unknown := content.keys() | (choices.keys() - grid.model_fields.keys()):
        known = ", ".join(grid.model_fields)
        raise ValueError(f"{path}: unknown {', '.join(sorted(unknown))}; [{name}] takes {known}")
    return checked(grid, **choices)
