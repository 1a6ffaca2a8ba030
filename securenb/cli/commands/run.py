"""`securenb run`: any sweep that a TOML file describes."""

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from attacks.grid import AttackGrid
from securenb.checked import checked
from securenb.cli import console
from securenb.cli.commands.attack import run_attack
from securenb.cli.options import Json, Overwrite, WithReport, report_page, write_report
from securenb.interval import summarised
from securenb.progress import batches
from securenb.round_grid import RoundGrid, measure_round
from securenb.run_folder import write_manifest
from securenb.sweep import run_cells, sweep_folder


def command(
    sweep: Annotated[Path, typer.Argument(help="A TOML file: a table [attack], or a table [round].")],
    out: Annotated[Path, typer.Option(help="A folder for results, manifest and pictures.")],
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
    if isinstance(grid, AttackGrid):
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
    cells = grid.cells()
    with sweep_folder(out, grid, overwrite=overwrite) as (folder, progress):
        with batches(len(cells), len(progress.finished)) as step:
            table = run_cells(
                cells,
                measure_round,
                progress,
                jobs=jobs,
                backend=backend,
                address=workers,
                watch=lambda _: step("rounds"),
            )
        table.to_csv(folder / "results.csv", index=False)
        write_manifest(folder, grid)
    write_report(report_page(out, wanted=report))
    if json:
        console.show_json(table.to_dict(orient="records"))
        return
    varied = [name for name in grid.choices if table[name].nunique(dropna=False) > 1] or ["dataset"]
    summary = summarised(table, varied, "balanced_accuracy")
    lines = [
        [f"{value:.4f}" if isinstance(value, float) else str(value) for value in line]
        for line in summary.itertuples(index=False)
    ]
    console.show_table("balanced accuracy", list(summary.columns), lines)
    console.say(f"written to {out}: {', '.join(sorted(path.name for path in out.iterdir()))}")


def read(path: Path) -> AttackGrid | RoundGrid:
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
    kinds = content.keys() & {"attack", "round"}
    if len(kinds) != 1 or not isinstance(content[next(iter(kinds))], dict):
        raise ValueError(f"{path} must have one table, [attack] or [round]")
    if "attack" in kinds:
        choices = content.pop("attack")
        if unknown := content.keys() | (choices.keys() - AttackGrid.model_fields):
            raise ValueError(f"{path}: unknown {', '.join(sorted(unknown))}")
        return checked(AttackGrid, **choices)
    return checked(RoundGrid, choices=content.pop("round"), **content)
