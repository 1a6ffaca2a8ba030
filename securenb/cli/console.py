"""Where commands print their results: on standard output."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

_WIDE = 240
"""Columns of a table of figures in a pipe, where nothing should be cut off or wrapped."""
_READABLE = 120
"""Columns of a table of prose in a pipe: sentences wrap."""


def say(text: str) -> None:
    """One or more lines, as they are."""
    typer.echo(text)


def show_table(
    title: str, columns: Sequence[str], lines: Sequence[Sequence[str]], *, prose: bool = False
) -> None:
    """A table; on a terminal its cells wrap, in a pipe figures are as wide as they need to be.

    Columns of figures stand to the right, columns of words to the left; rows of `prose` stand apart.
    """
    # here, not above: commands that draw no table start without it
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_READABLE if prose else _WIDE)
    console.print(title, style="italic", soft_wrap=True, markup=False)
    table = Table(box=SIMPLE_HEAD, leading=int(prose))
    table.show_edge = table.pad_edge = False
    table.padding = (0, 1, 0, 0)
    for index, column in enumerate(columns):
        figures = all(line[index][:1] in "0123456789-" for line in lines)
        table.add_column(column, justify="right" if figures else "left", no_wrap=index == 0)
    for line in lines:
        table.add_row(*line)
    console.print(table)
    console.print()


def show_json(value: Any) -> None:
    """One JSON document."""
    say(json.dumps(value, indent=2))


def seconds(value: float) -> str:
    """A duration with a unit that fits."""
    return f"{value:,.2f} s" if value >= 1 else f"{1e3 * value:,.2f} ms"


def figure(value: float) -> str:
    """A figure of three digits or so, to be compared with those above and below it."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
