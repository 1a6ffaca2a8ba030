"""Released tables: each row one run, of which nothing else is known."""

import csv
from pathlib import Path

import numpy as np

from attacks.audit.black_box.claim import Claim
from attacks.audit.black_box.outputs import Outputs, finite
from attacks.audit.black_box.questions import questions, relations
from attacks.audit.black_box.search import FEWEST, WINDOW, Questions, choose, judged
from attacks.audit.finding import Finding
from attacks.audit.lower_bound import Bound
from securenb.bayes.parameters import Floats


def read_released(first: Path, second: Path) -> tuple[Outputs, Outputs]:
    """The rows of two CSV files, a header in both or in none.

    Raises
    ------
    ValueError
        If a file cannot be read, rows differ in width, a cell is no number, there are too few rows, or both
        are one file.
    """
    if first.exists() and second.exists() and first.samefile(second):
        raise ValueError(f"{first} and {second} are one file: there must be runs on two neighbouring inputs")
    tables = [_read(path) for path in (first, second)]
    widths = [table.shape[1] for table in tables]
    if widths[0] != widths[1]:
        raise ValueError(
            f"{first} has {widths[0]} columns, {second} has {widths[1]}: they must be the same release"
        )
    for path, table in zip((first, second), tables, strict=True):
        if len(table) < 4 * FEWEST:
            raise ValueError(f"{path} has {len(table)} rows; fewer than {4 * FEWEST} runs show nothing")
    one, other = (
        Outputs(
            np.full(len(table), f"returns {widths[0]} numbers"),
            finite(table),
            (~np.isfinite(table)).sum(axis=1) * 1.0,
        )
        for table in tables
    )
    return one, other


def audit_tables(
    first: Outputs, second: Outputs, claim: Claim, alpha: float, asked: Questions = questions
) -> list[Finding]:
    """The findings: events are chosen on the first half of the rows, and counted on the second half."""
    halves = [len(outputs) // 2 for outputs in (first, second)]
    seen = first[: halves[0]], second[: halves[1]]
    fresh = first[halves[0] :], second[halves[1] :]
    nothing = Bound(0.0, "nothing that differs", (0, 0), 0)
    event = choose(*seen, claim, asked)
    single = nothing if event is None else event.bound(*fresh, claim, 0.75 * alpha)
    found = [judged("rows", single, claim, "the two tables", min(map(len, fresh)), 0.75 * alpha)]
    repeated = claim.repeated(WINDOW)
    together = choose(seen[0].windows(WINDOW), seen[1].windows(WINDOW), repeated, relations)
    if together is not None:
        double = together.bound(fresh[0].windows(WINDOW), fresh[1].windows(WINDOW), repeated, 0.25 * alpha)
        found.append(judged("successive rows", double, repeated, "the two tables", None, 0.25 * alpha))
    return found


def _read(path: Path) -> Floats:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [(number, row) for number, row in enumerate(csv.reader(file), start=1) if row]
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is no CSV file: {error}") from None
    if lines and not _numbers(lines[0][1]):
        lines = lines[1:]
    if not lines:
        raise ValueError(f"{path} has no rows")
    width = len(lines[0][1])
    table = np.empty((len(lines), width))
    for at, (number, row) in enumerate(lines):
        if len(row) != width:
            raise ValueError(f"line {number} of {path} has {len(row)} columns, the first row has {width}")
        for column, cell in enumerate(row):
            try:
                table[at, column] = float(cell)
            except ValueError:
                raise ValueError(
                    f"line {number}, column {column + 1} of {path}: {cell!r} is no number"
                ) from None
    return table


def _numbers(row: list[str]) -> bool:
    try:
        return all(float(cell) is not None for cell in row)
    except ValueError:
        return False
