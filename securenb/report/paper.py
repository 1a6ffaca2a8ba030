"""Runs as a bundle for a paper: figures, tables, captions, and one command that repeats all of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from securenb.experiments.run_folder import MANIFEST, run_folder
from securenb.experiments.tables import write_table
from securenb.report.page import Report
from securenb.report.picture import save_for_paper
from securenb.report.run import Run
from securenb.report.section import SECTIONS, Content
from securenb.report.setting import setting

LONGEST = 60
"""Rows of a table that is set in LaTeX; longer ones are there as CSV."""
PROSE = 40
"""Characters of a cell from which on its column is left to the CSV file."""
WIDE = 100
"""Characters of a row from which on a table is scaled to the width of the text."""
SPECIAL = {character: f"\\{character}" for character in "#$%&_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "\\textendash{}",
}


def write_paper(report: Report, folder: Path, *, columns: int = 1, overwrite: bool = False) -> list[Path]:
    """Figures as PDF and SVG, tables as LaTeX (booktabs) and CSV, `paper.tex` with captions, `repeat.py`.

    Parameters
    ----------
    report
        About the runs that the paper shows.
    columns
        1 or 2: how many columns of a two-column page a figure takes; fonts have 8 points either way.

    Returns
    -------
    The files, relative to the folder.

    Raises
    ------
    ValueError
        If `columns` is neither 1 nor 2, the folder cannot be written or holds something, or vl-convert is
        not installed.
    """
    if columns not in (1, 2):
        raise ValueError(f"a figure takes 1 or 2 columns, not {columns}")
    with run_folder(folder, overwrite=overwrite) as draft:
        (draft / "figures").mkdir()
        (draft / "tables").mkdir()
        parts = [*_figures(report, draft, columns), *_tables(report, draft)]
        text = _read("paper.tex").replace("% BODY", "\n\n".join(parts))
        (draft / "paper.tex").write_text(text, encoding="utf-8")
        (draft / "references.bib").write_text(
            _read("references.bib").replace("VERSION", version("securenb")), encoding="utf-8"
        )
        (draft / "repeat.py").write_text(_read("repeat.txt"), encoding="utf-8")
        runs = [
            {
                "name": name,
                **{key: run.manifest.get(key) for key in ("command", "seed", "digests", "files", "versions")},
            }
            for name, run in _named(report.runs)
        ]
        (draft / MANIFEST).write_text(json.dumps({"runs": runs}, indent=2) + "\n", encoding="utf-8")
        return [path.relative_to(draft) for path in sorted(draft.rglob("*")) if path.is_file()]


def tex(text: str) -> str:
    """Text as LaTeX shows it."""
    escaped = "".join(SPECIAL.get(character, character) for character in text)
    return escaped.replace("--", "-{}-")


def _read(name: str) -> str:
    return files("securenb.report").joinpath("artifact", name).read_text(encoding="utf-8")


def _named(runs: Sequence[Run]) -> Iterator[tuple[str, Run]]:
    """Runs with names of their own, whatever their folders are called."""
    for index, run in enumerate(runs):
        same = [other.name for other in runs].count(run.name) > 1
        yield (f"{run.name}-{index + 1}" if same else run.name), run


def _figures(report: Report, draft: Path, columns: int) -> Iterator[str]:
    """Writes every figure, of each run and of all beside each other; the environments that show them."""
    float_ = "figure" if columns == 1 else "figure*"
    alone = [(name, Report((run,)).contents(), setting(run.scenario)) for name, run in _named(report.runs)]
    beside = Content()
    if len(report.runs) > 1:
        SECTIONS["comparison"]().show(report.runs, beside)
    together = "; ".join(f"{name}: {where}" for name, _, where in alone)
    for prefix, contents, where in [*alone, ("all", [beside], together)]:
        for content in contents:
            for name, spec in content.charts.items():
                stem = f"{prefix}-{name}"
                save_for_paper(spec, draft / "figures", stem, columns)
                shown = "".join(f" Shown: {tex(each)}." for each in _menus(spec))
                drawn = f"\\includegraphics[width=\\linewidth]{{figures/{stem}.pdf}}"
                yield (
                    f"\\begin{{{float_}}}\n  \\centering\n  {drawn}\n"
                    f"  \\caption{{{tex(content.captions[name])}{shown} Setting: {tex(where)}.}}\n"
                    f"  \\label{{fig:{stem}}}\n\\end{{{float_}}}"
                )


def _menus(spec: Mapping[str, Any]) -> list[str]:
    """What the menus of a chart stand at, as the figure shows it."""
    menus = [each for each in spec.get("params", []) if isinstance(each.get("bind"), dict)]
    return [f"{each['bind']['name'].strip()} {each['value']}" for each in menus if "value" in each]


def _tables(report: Report, draft: Path) -> Iterator[str]:
    """Writes every table; the environments that show those that are short enough."""
    for name, run in _named(report.runs):
        command = tex(" ".join(map(str, run.manifest.get("command", []))))
        for table, frame in run.tables.items():
            stem = f"{name}-{table}"
            write_table(frame, draft / "tables" / f"{stem}.csv")
            if not 0 < len(frame) <= LONGEST:
                continue
            shown, same = _varying(frame)
            lines = shown.to_latex(index=False, escape=True, float_format="%.4g", na_rep="--")
            (draft / "tables" / f"{stem}.tex").write_text(lines, encoding="utf-8")
            body = f"\\input{{tables/{stem}}}"
            if sum(max(len(str(each)) for each in [column, *shown[column]]) for column in shown) > WIDE:
                body = f"\\resizebox{{\\linewidth}}{{!}}{{{body}}}"
            alike = f" The same in every row: {tex(same)}." if same else ""
            yield (
                f"\\begin{{table*}}\n  \\centering\n  {body}\n  \\caption{{{tex(name)}, {tex(table)}, "
                f"{len(frame)} rows.{alike} \\texttt{{{command}}}}}\n  \\label{{tab:{stem}}}\n\\end{{table*}}"
            )


def _varying(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The columns of figures and short words that differ over rows, and what the others hold."""
    longest = {name: max(len(str(each)) for each in frame[name]) for name in frame.columns}
    short = frame[[name for name in frame.columns if longest[name] <= PROSE]].dropna(axis=1, how="all")
    if len(frame) == 1:
        return short, ""
    constant = [name for name in short.columns if short[name].nunique(dropna=False) == 1]
    shown = short.drop(columns=constant)
    if shown.empty:
        return short, ""
    return shown, ", ".join(f"{name} {_short(short[name].iloc[0])}" for name in constant)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
