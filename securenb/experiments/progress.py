"""Progress bars: on a terminal, in a notebook, and nowhere else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def steps(total: int) -> Iterator[Callable[[str], None]]:
    """A bar of named steps: call what it gives with a step's name before the step."""
    started = False
    with _bar("{task.description:<20}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task("starting", total=total)

        def step(name: str) -> None:
            nonlocal started
            bar.update(task, description=name, advance=1 if started else 0)
            started = True

        yield step


@contextmanager
def parts() -> Iterator[Callable[[str, float], None]]:
    """One bar after another, with the time left: call what it gives with a name, and with how much is done.

    From 0 to 1; another name is another bar.
    """
    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with _bar("{task.description:<20}", *columns) as bar:
        task = bar.add_task("starting", total=1.0)
        shown = ""

        def part(name: str, done: float) -> None:
            nonlocal shown
            if name != shown:
                bar.reset(task, description=name)
                shown = name
            bar.update(task, completed=done)

        yield part


@contextmanager
def rows() -> Iterator[Callable[[int], None]]:
    """A count of the rows read so far."""
    counted = TextColumn("{task.completed:,.0f}")
    with _bar("reading rows", counted, TimeElapsedColumn()) as bar:
        task = bar.add_task("", total=None)
        yield lambda count: bar.update(task, completed=count)


@contextmanager
def batches(total: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """A bar of finished batches with the time left: call what it gives after each."""
    with _bar("{task.description:<28}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("starting", total=total, completed=done)
        yield lambda name: bar.update(task, description=name, advance=1)


def _bar(text: str, *columns: ProgressColumn) -> Progress:
    """Vanishes when it is done; on a terminal it is written to standard error."""
    console = Console(stderr=True)
    # without widgets rich warns at every step, and shows nothing
    notebook = console.is_jupyter and find_spec("ipywidgets") is not None
    shown = console.is_terminal or notebook
    return Progress(TextColumn(text), *columns, console=console, transient=True, disable=not shown)
