"""Many measurements: a grid of cells, run in parallel, resumed where it was interrupted, in the same order.

A cell is a dictionary of JSON values that says everything about one measurement. What it measures depends
on the cell alone, so that cells can run in any order, process and batching, and a rerun is identical.
"""

import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed, parallel_config

from protocols.canonical import digest
from securenb._html import html_table
from securenb.experiments.cluster import cluster
from securenb.experiments.guests import Guests
from securenb.experiments.run_folder import Replayable, run_folder

RAY_BATCH = 64
"""Cells that go to a Ray cluster at once."""

Cell = Mapping[str, Any]
Measure = Callable[[Cell], list[dict[str, Any]]]
"""Gives the rows of results of a cell; must be picklable."""


def product(choices: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every combination of choices: a list is as many choices, anything else is one.

    Examples
    --------
    >>> product({"a": [1, 2], "b": "x"})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'x'}]
    """
    options = [value if isinstance(value, list) else [value] for value in choices.values()]
    return [dict(zip(choices, chosen, strict=True)) for chosen in itertools.product(*options)]


class Progress:
    """What a sweep has finished, in a file that a crash leaves usable.

    The first line names the sweep. Each further line is a finished cell with its results; a last line that
    was not written to its end is dropped.

    Parameters
    ----------
    path
        The file; it is made if it does not exist.
    name
        What makes sweeps the same: a digest of all choices.

    Raises
    ------
    ValueError
        If the file belongs to another sweep.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.finished: dict[str, list[dict[str, Any]]] = {}
        if path.exists():
            lines = path.read_bytes().split(b"\n")
            if json.loads(lines[0] or b"null") != {"sweep": name}:
                raise ValueError(f"{path} belongs to another sweep; finish that one, or remove the file")
            complete = b"\n".join([*lines[:-1], b""])
            for line in lines[1:-1]:
                entry = json.loads(line)
                self.finished[entry["cell"]] = entry["rows"]
            path.write_bytes(complete)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"sweep": name}) + "\n", encoding="utf-8")

    @contextmanager
    def writer(self) -> Iterator[Callable[[str, list[dict[str, Any]]], None]]:
        """Records finished cells, each at once and whole."""
        with self.path.open("a", encoding="utf-8") as file:

            def finish(cell: str, rows: list[dict[str, Any]]) -> None:
                # not-a-number is no JSON, and comes back as the same not-a-number from null
                clean = [{k: None if v != v else v for k, v in row.items()} for row in rows]
                file.write(json.dumps({"cell": cell, "rows": clean}) + "\n")
                file.flush()
                self.finished[cell] = clean

            yield finish
            os.fsync(file.fileno())


def run_cells(
    cells: Sequence[Cell],
    measure: Measure,
    progress: Progress,
    *,
    jobs: int = 1,
    backend: str = "loky",
    address: str | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """Measure every cell that is not finished yet; all results in the order of cells.

    Parameters
    ----------
    jobs
        Processes; -1 for all cores.
    backend
        Of joblib: `loky`, `threading`, `sequential`, or `dask` and `ray`, see `securenb.experiments.cluster`.
    address
        Of a Dask or Ray cluster; `None` makes one on this machine.
    watch
        Called with a cell's name when it is finished.
    """
    named, guests = {_name(cell): cell for cell in cells}, Guests.here()
    pending = [name for name in named if name not in progress.finished]
    inner = {"inner_max_num_threads": 1} if backend == "loky" else {}
    with (
        cluster(backend, jobs, address),
        progress.writer() as finish,
        parallel_config(backend=backend, **inner),
    ):
        # Ray's backend gives nothing before everything is there: what a crash may cost is one batch
        at_once = RAY_BATCH if backend == "ray" else max(len(pending), 1)
        pool = Parallel(n_jobs=jobs, return_as="list" if backend == "ray" else "generator_unordered")
        for begin in range(0, len(pending), at_once):
            batch = pending[begin : begin + at_once]
            for name, rows in pool(delayed(_measured)(name, measure, named[name], guests) for name in batch):
                finish(name, rows)
                watch(name)
    return pd.DataFrame([row for name in named for row in progress.finished[name]])


@dataclass(frozen=True, eq=False, repr=False)
class Swept:
    """What a sweep has measured.

    Attributes
    ----------
    frame
        All results, tidy, one row a measurement.
    summary
        What is said of them.
    name
        Of the sweep.
    """

    frame: pd.DataFrame
    summary: pd.DataFrame
    name: str

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.frame)} results, summary of {len(self.summary)} lines>"

    def _repr_html_(self) -> str:
        shown = self.summary[[n for n in self.summary if self.summary[n].nunique(dropna=False) > 1]]
        lines = [[str(value) for value in line] for line in shown.itertuples(index=False)]
        return html_table(repr(self)[1:-1], list(shown.columns), lines)


def measured_here(cells: Sequence[Cell], measure: Measure, *, jobs: int, backend: str) -> pd.DataFrame:
    """`run_cells` whose progress is forgotten."""
    with tempfile.TemporaryDirectory() as folder:
        progress = Progress(Path(folder) / "progress.jsonl", "")
        return run_cells(cells, measure, progress, jobs=jobs, backend=backend)


@contextmanager
def sweep_folder(
    out: Path, choices: Replayable, *, overwrite: bool = False
) -> Iterator[tuple[Path, Progress]]:
    """A run folder whose sweep, if it is interrupted, is resumed by asking for the same one again.

    Unfinished work is kept beside `out`, and removed when the folder is complete.
    """
    said = json.dumps(choices.model_dump(mode="json"), sort_keys=True)
    # what an edited plug-in measures is another sweep
    name = digest("securenb sweep", said, *sorted(Guests.here().digests.values())).hex()
    kept = out.absolute().with_name(f"{out.name}.unfinished.jsonl")
    with run_folder(out, overwrite=overwrite) as folder:
        yield folder, Progress(kept, name)
    kept.unlink()


def _name(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def _measured(name: str, measure: Measure, cell: Cell, guests: Guests) -> tuple[str, list[dict[str, Any]]]:
    guests.arrive()
    return name, measure(cell)
