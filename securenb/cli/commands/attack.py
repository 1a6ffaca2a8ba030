"""`securenb attack`: what poisons do to rules, and how bad it gets."""

from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from attacks.sweeps.breakdown import BreakdownGrid, measure_breakdown, summary_of_breakdowns
from attacks.sweeps.poisoning import measure
from attacks.sweeps.poisoning_grid import Study
from attacks.sweeps.worst import summary_of
from securenb.cli import console
from securenb.cli.attack_search import search, with_found
from securenb.cli.options import (
    Json,
    Overwrite,
    WithReport,
    report_page,
    with_choices,
    write_report,
)
from securenb.experiments.checked import checked
from securenb.experiments.intervals import DETAILS, FEWEST
from securenb.experiments.progress import batches
from securenb.experiments.run_folder import write_manifest
from securenb.experiments.sweep import run_cells, sweep_folder
from securenb.experiments.tables import worded, write_table
from securenb.robust.bounds import breakdown_share

SearchSeconds = Annotated[
    float | None,
    typer.Option(
        "--search-seconds",
        help="Spend so long on finding worse attacks; they are kept in OUT.found.json, and measured.",
    ),
]
Replay = Annotated[
    Path | None, typer.Option("--replay", help="Measure the attacks that a search kept in this file.")
]
Breakdown = Annotated[bool, typer.Option("--breakdown", help="Find by bisection where rules break.")]


@with_choices(Study)
def command(
    choices: dict[str, Any],
    out: Annotated[Path, typer.Option(help="A folder for results and manifest.")],
    breakdown: Breakdown = False,  # noqa: FBT002 - flags of the command line
    search_seconds: SearchSeconds = None,
    replay: Replay = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1 for all cores.")] = -1,
    backend: Annotated[str, typer.Option(help="joblib's: loky, sequential, dask, ray.")] = "loky",
    overwrite: Overwrite = False,  # noqa: FBT002
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Measure how models fare when nodes are malicious; ask again after an interruption to go on."""
    grid = checked(Study, **choices)
    if search_seconds is not None and replay is not None:
        raise ValueError(
            "--search-seconds looks for new attacks and --replay sends old ones: give one of them"
        )
    if search_seconds is not None:
        replay = search(grid, search_seconds, out, again=overwrite, quiet=json)
    if replay is not None:
        grid = with_found(grid, replay)
    run_attack(
        grid,
        out,
        jobs=jobs,
        backend=backend,
        overwrite=overwrite,
        report=report,
        json=json,
        breakdown=breakdown,
    )


def run_attack(
    grid: Study,
    out: Path,
    *,
    jobs: int,
    backend: str,
    address: str | None = None,
    overwrite: bool,
    report: bool,
    json: bool,
    breakdown: bool = False,
) -> None:
    """Measure the grid, draw it, say what came out."""
    cells, choosing = grid.cells(), grid.choosing()
    more: list[dict[str, Any]] = []
    if breakdown:
        _refuse_unheeded(grid)
        choices = {"dataset": grid.dataset, "trials": grid.trials, "seed": grid.seed, **grid.own_choices}
        choices |= {} if grid.node_column else {"nodes": grid.nodes}
        more = checked(BreakdownGrid, **choices).cells()
    with sweep_folder(out, grid, overwrite=overwrite) as (folder, progress):
        total, done = len(cells) + len(choosing) + len(more), len(progress.finished)
        with batches(total, min(done, total)) as step:
            run = {
                "jobs": jobs,
                "backend": backend,
                "address": address,
                "watch": lambda _: step(grid.dataset[0]),
            }
            table = run_cells(cells, measure, progress, **run)  # type: ignore[arg-type]
            apart = run_cells(choosing, measure, progress, **run) if choosing else None  # type: ignore[arg-type]
            broken = run_cells(more, measure_breakdown, progress, **run) if more else None  # type: ignore[arg-type]
        write_table(table, folder / "results.csv")
        if apart is not None:
            write_table(apart, folder / "selection.csv")
        summary = summary_of(table, apart)
        write_table(summary, folder / "summary.csv")
        if broken is not None:
            write_table(broken, folder / "breakdown.csv")
        write_manifest(folder, grid)
    write_report(report_page(out, wanted=report))
    if json:
        console.show_json(summary.to_dict(orient="records"))
        return
    told = summary.drop(columns=list(DETAILS)).columns
    always = {"rule", "certified"}
    columns = [name for name in told if summary[name].nunique(dropna=False) > 1 or name in always]
    known = summary["certified"].astype(object)
    bracketed = worded(summary).assign(certified=known.where(known.notna(), "open"))
    lines = [[_shown(value) for value in line] for line in bracketed[columns].itertuples(index=False)]
    console.show_table("balanced accuracy under the worst attack (backdoors apart)", columns, lines)
    console.say("certified ≤ truth ≤ mean: an attack is an upper end, and none goes below the lower one")
    if summary["certified"].isna().any():
        console.say("open: none is known; it takes the rule verified_sum or staircase, or flcert")
    if grid.trials < FEWEST:
        console.say(
            f"low and high are the range of {grid.trials} trials: an interval takes {FEWEST} (--trials)"
        )
    console.say(_chosen(len({cell["trial"] for cell in choosing})))
    console.say(_collapsed(summary))
    if "verified" in grid.inputs:
        for ratio in grid.cap_ratio:
            share = 100 * breakdown_share(ratio)
            console.say(f"cap {ratio:g} × the mean size: label flips win beyond {share:.0f} % malicious")
    if broken is not None:
        where_broken = summary_of_breakdowns(broken)
        for kind, share in zip(where_broken["kind"], where_broken["within_one"], strict=True):
            console.say(
                f"{kind}: measured within one node of the prediction in {100 * share:.1f} % of trials"
            )
        if grid.node_column:
            console.say(
                f"kinds with a cap are left out: their prediction is of equal nodes, and column "
                f"{grid.node_column!r} gives each its own size"
            )
    console.say(f"written to {out}: {', '.join(sorted(p.name for p in out.iterdir()))}")


def _refuse_unheeded(grid: Study) -> None:
    """Where rules break is sought among nodes that share records evenly, by each defence's own choices."""
    for name in ("numeric", "label_skew", "sizes", "test_records"):
        given, heeded = getattr(grid, name), Study.model_fields[name].default
        if given != heeded:
            raise ValueError(
                f"--breakdown knows no --{name.replace('_', '-')}: leave one of them out, or sweep without "
                "--breakdown"
            )


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _chosen(deals: int) -> str:
    where = f"{deals} deals of its own, and measured on all trials" if deals else "the trials themselves"
    return f"the worst attack is chosen on {where}; least: the least mean over attacks; headline: the lower"


def _collapsed(summary: pd.DataFrame) -> str:
    collapsed = summary[summary["collapsed"] > 0]
    trials = int(collapsed["collapsed"].sum()), int(summary["trials"].sum())
    return f"collapsed trials (.2 below the median): {trials[0]} of {trials[1]}, in {len(collapsed)} cells"
