"""`securenb attack`: what poisons do to rules, and how bad it gets."""

from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from attacks.poison import choose_poison
from attacks.sweeps.breakdown import BreakdownGrid, measure_breakdown, summary_of_breakdowns
from attacks.sweeps.poisoning import measure
from attacks.sweeps.poisoning_grid import AttackGrid
from protocols.spec import listed
from securenb.cli import console
from securenb.cli.attack_search import search, with_found
from securenb.cli.options import (
    Json,
    LabelColumn,
    NodeColumn,
    Overwrite,
    SchemaFile,
    TestFile,
    WithReport,
    report_page,
    write_report,
)
from securenb.experiments.checked import checked
from securenb.experiments.intervals import DETAILS, FEWEST, summarised
from securenb.experiments.progress import batches
from securenb.experiments.run_folder import write_manifest
from securenb.experiments.sweep import run_cells, sweep_folder
from securenb.experiments.tables import worded, write_table
from securenb.report.worst import worst
from securenb.robust.bounds import breakdown_share

RULES_BY_DEFAULT = "sum,median,trimmed_mean,krum,geometric_median,mda,nnm+median,trusted_rows"


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
Influence = Annotated[
    bool, typer.Option("--influence", help="Say which rows stand out when each is left out in turn.")
]


def command(
    dataset: Annotated[str, typer.Argument(help="A data set (`securenb list datasets`), or your own file.")],
    out: Annotated[Path, typer.Option(help="A folder for results and manifest.")],
    attacks: Annotated[
        str, typer.Option(help="Poisons, separated by commas, as `alie:inside:noisy`; `all` for all.")
    ] = "all",
    rules: Annotated[
        str, typer.Option(help="Rules, separated by commas; `nnm+krum` mixes first.")
    ] = RULES_BY_DEFAULT,
    malicious: Annotated[
        str, typer.Option(help="Shares of malicious nodes: 0,0.2 or 0:0.45:0.05.")
    ] = "0,0.2",
    group_size: Annotated[str, typer.Option(help="Nodes in a group: numbers or `all`, as 1,3,all.")] = "1",
    epsilon: Annotated[str, typer.Option(help="What an opened row costs: numbers or `none`.")] = "none",
    nodes: Annotated[
        int | None, typer.Option(help="How many nodes the training records are dealt to; 100 by default.")
    ] = None,
    schema_file: SchemaFile = None,
    label: LabelColumn = None,
    node_column: NodeColumn = None,
    test_file: TestFile = None,
    sizes: Annotated[str, typer.Option(help="Records a node: equal, uniform or exponential.")] = "equal",
    label_skew: Annotated[str, typer.Option(help="Dirichlet parameters of labels; `none` for IID.")] = "none",
    numeric: Annotated[str, typer.Option(help="Numbers as `gaussian` or `histogram`.")] = "gaussian",
    mechanism: Annotated[str, typer.Option(help="The noise.")] = "discrete_laplace",
    delta: Annotated[float | None, typer.Option(help="What epsilon holds up to, where needed.")] = None,
    inputs: Annotated[str, typer.Option(help="`unchecked`, `verified` or both.")] = "unchecked",
    cap_ratio: Annotated[str, typer.Option(help="Caps on a node's records, in mean sizes.")] = "1",
    trials: Annotated[int, typer.Option(help="Repetitions, the same in every cell.")] = 30,
    test_records: Annotated[int | None, typer.Option(help="Judge on so many test records.")] = None,
    influence: Influence = False,  # noqa: FBT002 - flags of the command line
    breakdown: Breakdown = False,  # noqa: FBT002 - flags of the command line
    search_seconds: SearchSeconds = None,
    replay: Replay = None,
    seed: Annotated[int, typer.Option(help="Decides everything; a rerun is identical.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 for all cores.")] = -1,
    backend: Annotated[str, typer.Option(help="joblib's: loky, sequential, dask, ray.")] = "loky",
    overwrite: Overwrite = False,  # noqa: FBT002
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Measure how models fare when nodes are malicious; ask again after an interruption to go on."""
    grid = checked(
        AttackGrid,
        dataset=dataset,
        attacks=attacks if attacks == "all" else listed(attacks),
        rules=listed(rules),
        malicious=shares(malicious),
        group_size=[int(size) if size.isdecimal() else size for size in words(group_size)],
        epsilon=words(epsilon),
        schema_file=schema_file,
        label=label,
        node_column=node_column,
        test_file=test_file,
        **({} if nodes is None else {"nodes": nodes}),
        sizes=sizes,
        label_skew=[skew if skew == "none" else float(skew) for skew in words(label_skew)],
        numeric=numeric,
        mechanism=mechanism,
        delta=delta,
        inputs=words(inputs),
        cap_ratio=[float(ratio) for ratio in words(cap_ratio)],
        trials=trials,
        influence=influence,
        test_records=test_records,
        seed=seed,
    )
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
    grid: AttackGrid,
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
    cells = grid.cells()
    more: list[dict[str, Any]] = []
    if breakdown:
        choices = {"dataset": grid.dataset, "trials": grid.trials, "seed": grid.seed, **grid.own_choices}
        choices |= {} if grid.node_column else {"nodes": grid.nodes}
        more = checked(BreakdownGrid, **choices).cells()
    with sweep_folder(out, grid, overwrite=overwrite) as (folder, progress):
        total, done = len(cells) + len(more), len(progress.finished)
        with batches(total, min(done, total)) as step:
            run = {
                "jobs": jobs,
                "backend": backend,
                "address": address,
                "watch": lambda _: step(grid.dataset[0]),
            }
            table = run_cells(cells, measure, progress, **run)  # type: ignore[arg-type]
            broken = run_cells(more, measure_breakdown, progress, **run) if more else None  # type: ignore[arg-type]
        write_table(table, folder / "results.csv")
        summary = summary_of(table)
        write_table(summary, folder / "summary.csv")
        if broken is not None:
            write_table(broken, folder / "breakdown.csv")
        write_manifest(folder, grid)
    write_report(report_page(out, wanted=report))
    if json:
        console.show_json(summary.to_dict(orient="records"))
        return
    told = summary.drop(columns=list(DETAILS)).columns
    columns = [name for name in told if summary[name].nunique(dropna=False) > 1 or name == "rule"]
    lines = [[_shown(value) for value in line] for line in worded(summary)[columns].itertuples(index=False)]
    console.show_table("balanced accuracy under the worst attack (backdoors apart)", columns, lines)
    if grid.trials < FEWEST:
        console.say(
            f"low and high are the range of {grid.trials} trials: an interval takes {FEWEST} (--trials)"
        )
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


KEPT = ("dataset", "nodes", "sizes", "label_skew", "numeric", "mechanism", "epsilon", "group_size", "inputs",
        "cap_ratio", "share", "rule")  # fmt: skip


def comparable(table: pd.DataFrame) -> pd.DataFrame:
    """Results in which a cap tells settings apart only where it is checked."""
    unchecked = table["inputs"] == "unchecked"
    return table.assign(cap_ratio=table["cap_ratio"].where(~unchecked).astype(float))


def overall(table: pd.DataFrame) -> pd.DataFrame:
    """Results of the attacks that are after the model as a whole."""
    return table[[not _is_backdoor(name) for name in table["attack"]]]


def summary_of(table: pd.DataFrame) -> pd.DataFrame:
    """For each setting, rule and share: the worst attack, its mean and interval; the worst backdoor."""
    part = overall(comparable(table))
    lowest = worst(part, KEPT).rename(columns={"attack": "worst_attack"})
    failed = part.assign(failed=(part["failure"] != "").astype(float))
    failures = failed.groupby(list(KEPT), sort=False, dropna=False)["failed"].max().reset_index()
    summary = lowest.merge(failures.rename(columns={"failed": "refused"}), on=list(KEPT), how="left")
    for name in ("unmasked", "accused"):
        if name in part:
            mean = part.groupby([*KEPT, "attack"], sort=False, dropna=False)[name].mean().reset_index()
            on = [*KEPT, "worst_attack"]
            summary = summary.merge(mean.rename(columns={"attack": "worst_attack"}), on=on, how="left")
    backdoors = comparable(table)[[_is_backdoor(name) for name in table["attack"]]]
    if len(backdoors):
        found = summarised(backdoors, [*KEPT, "attack"], "success")
        top = found.groupby(list(KEPT), sort=False, dropna=False)["mean"].max().reset_index()
        summary = summary.merge(top.rename(columns={"mean": "backdoor_success"}), on=list(KEPT), how="left")
    return summary


def words(text: str) -> list[str]:
    """What stands between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def shares(text: str) -> list[float]:
    """``"0,0.2"``, or ``"0:0.45:0.05"``: first, last and step."""
    try:
        found = [float(word) for word in (text.split(":") if ":" in text else words(text))]
    except ValueError:
        found = []
    if ":" in text and len(found) == 3 and found[2] > 0:
        first, last, step = found
        found = [round(first + index * step, 10) for index in range(int((last - first) / step + 1e-9) + 1)]
    elif ":" in text:
        found = []
    if not found:
        raise ValueError(f"--malicious is 0,0.2 or first:last:step as 0:0.45:0.05, got {text!r}")
    return found


def _is_backdoor(attack: str) -> bool:
    return attack != "none" and choose_poison(attack).aim == "backdoor"


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
