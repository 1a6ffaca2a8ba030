"""`securenb reproduce`: every table and figure of the SECRYPT 2022 paper, as published and corrected."""

import json as json_format
from pathlib import Path
from typing import Annotated

import joblib
import typer
from pydantic import ValidationError

from securenb.cli import console
from securenb.cli.options import Json, Overwrite, WithReport, report_page, write_report
from securenb.experiments.progress import batches
from securenb.experiments.run_folder import run_folder, write_manifest
from securenb.experiments.tables import write_table
from securenb.paper.decentralised import Decentralised
from securenb.paper.figure1 import Figure1
from securenb.paper.figure2 import Figure2
from securenb.paper.figure3 import Figure3
from securenb.paper.joining import Online
from securenb.paper.page import page
from securenb.paper.study import Finding, Item, Parts, Settings
from securenb.paper.table2 import Table2
from securenb.report.picture import SUFFIX, specification

ITEMS: dict[str, type[Item]] = {
    item.name: item for item in (Table2, Figure1, Figure2, Figure3, Online, Decentralised)
}
ALL = "all"


def command(
    what: Annotated[str, typer.Argument(help=f"{', '.join(ITEMS)}, or {ALL}.")],
    out: Annotated[Path, typer.Option(help="A folder for CSV files, charts and the page.")],
    trials: Annotated[int, typer.Option(help="Monte Carlo repetitions; the paper has 1000.")] = 1000,
    mode: Annotated[str, typer.Option(help="as-published, corrected, or both.")] = "both",
    seed: Annotated[int, typer.Option(help="Root of all randomness.")] = 2022,
    processes: Annotated[int | None, typer.Option(help="In parallel; by default one a core.")] = None,
    overwrite: Overwrite = False,  # noqa: FBT002 - flags of the command line
    report: WithReport = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
) -> None:
    """Reproduce the paper: CSV files, charts, and a page that compares. Interrupted, it can go on."""
    settings = _settings(what, trials, mode, seed)
    items = [ITEMS[name]() for name in settings.items]
    with run_folder(out, overwrite=overwrite) as folder:
        parts = Parts(out.absolute().with_name(f".{out.name}.parts"), settings)
        wanted = [batch for item in items for batch in item.batches(settings)]
        resumed = len(wanted) - len(parts.pending(wanted))
        with batches(len(wanted), resumed) as done:
            results = parts.run(wanted, processes or joblib.cpu_count(), done)
        findings = [item.finding(settings, results) for item in items]
        write(folder, settings, findings, resumed)
    parts.remove()
    write_report(report_page(out, wanted=report))
    if json:
        console.show_json(
            {name: len(table) for finding in findings for name, table in finding.tables.items()}
        )
        return
    if resumed:
        console.say(f"{resumed} of {len(wanted)} batches were there already")
    show(findings)
    console.say(f"written to {out}: index.html, CSV files, charts, manifest.json")


def write(folder: Path, settings: Settings, findings: list[Finding], resumed: int) -> None:
    """Tables, charts, page and manifest."""
    for finding in findings:
        for name, table in finding.tables.items():
            write_table(table, folder / f"{name}.csv", "%.6g")
        for name, figure in finding.figures.items():
            text = json_format.dumps(specification(figure))
            (folder / f"{name}{SUFFIX}").write_text(text, encoding="utf-8")
    (folder / "index.html").write_text(page(settings, findings), encoding="utf-8")
    write_manifest(folder, settings, resumed_batches=resumed)


def show(findings: list[Finding]) -> None:
    """The tables that the page shows."""
    for finding in findings:
        if finding.shown is not None:
            lines = [
                [f"{value:.4g}" if isinstance(value, float) else str(value) for value in line]
                for line in finding.shown.itertuples(index=False)
            ]
            console.show_table(finding.title, [str(name) for name in finding.shown.columns], lines)


def _settings(what: str, trials: int, mode: str, seed: int) -> Settings:
    if what != ALL and what not in ITEMS:
        raise ValueError(f"nothing of the paper is called {what!r}; known: {', '.join(ITEMS)}, {ALL}")
    items = tuple(ITEMS) if what == ALL else (what,)
    try:
        return Settings.model_validate({"items": items, "trials": trials, "mode": mode, "seed": seed})
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"--{first['loc'][0]}: {first['msg']}, got {first['input']!r}") from None
