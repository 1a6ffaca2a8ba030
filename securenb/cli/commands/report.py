"""`securenb report`: one self-contained page about run folders."""

from pathlib import Path
from typing import Annotated

import typer

from securenb.cli import console
from securenb.cli.options import Overwrite
from securenb.report.page import PAGE, Report
from securenb.report.paper import write_paper


def command(
    *,
    folders: Annotated[list[Path], typer.Argument(help="Run folders; several are compared on one page.")],
    out: Annotated[Path | None, typer.Option(help="The page; by default in the (first) run folder.")] = None,
    charts: Annotated[
        Path | None, typer.Option(help="A folder for every chart as SVG and PNG, for papers.")
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option(
            help="A folder for a paper: figures as PDF, tables as LaTeX, captions, how to repeat all."
        ),
    ] = None,
    columns: Annotated[int, typer.Option(help="With --paper: columns that a figure takes, 1 or 2.")] = 1,
    overwrite: Overwrite = False,
) -> None:
    """Write one page that needs no network: charts, tables, ledger, what each party saw."""
    target = folders[0] / PAGE if out is None else out
    report = Report.read(*folders)
    report.write(target)
    console.say(f"written to {target} ({target.stat().st_size / 1e6:.1f} MB)")
    if charts is not None:
        console.say(f"written to {charts}: {', '.join(path.name for path in report.write_charts(charts))}")
    if paper is not None:
        files = write_paper(report, paper, columns=columns, overwrite=overwrite)
        console.say(f"written to {paper}: {len(files)} files; paper.tex shows all, repeat.py runs all again")
