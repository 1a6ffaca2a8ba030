"""The scoreboard as a page of the documentation, made from `results.csv`."""

import ast
import csv
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.board.environments import adapters

RESULTS = Path(__file__).parent / "results.csv"
PAGE = Path(__file__).parents[2] / "docs" / "scoreboard" / "index.md"
HEAD = """# Scoreboard

`securenb judge` on other people's packages, and on ours, by one command:

```
python3 run.py board
```

One row a check; there is no score and no ranking, and peers stand in the order of the alphabet. A control
comes first: where it fails, our adapter is broken, and nothing is said about the package. The *level* says
what was driven: what a framework checks above a class or a primitive is not seen where only that was. A
primitive adds what it is given: its caller must check more. A release is *wrong silently* only after a second
audit with fresh randomness, at 10^-3 shared by {tests:,} audits. `docs/how-to/judge.md` says what outcomes
mean, [disclosure](disclosure.md) what is withheld, and how to dispute a row. Rows that say *wrong
silently* were not yet read by a second person against the package's documents.
Each row is reproduced by

```
python3 -m benchmarks.board NAME --checks CHECK
```

Rows were made on {dates}. In all {rows} rows of {peers} packages: {counts}.
"""
COLUMNS = (
    "subject",
    "check",
    "case",
    "adjacency",
    "size_public",
    "outcome",
    "reason",
    "bound",
    "runs",
    "cpu",
)


def read() -> list[dict[str, str]]:
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def render(rows: Sequence[dict[str, str]], tests: int) -> str:
    counts = Counter(row["outcome"] for row in rows)
    peers = sorted({row["peer"] for row in rows}, key=str.lower)
    said = [
        HEAD.format(
            tests=tests,
            dates=" and ".join(sorted({row["date"] for row in rows})),
            rows=len(rows),
            peers=len(peers),
            counts=", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())),
        )
    ]
    for peer in peers:
        own = [row for row in rows if row["peer"] == peer]
        level = next((row["level"] for row in own if row["level"]), "")
        adapter = next((row["adapter"] for row in own if row["adapter"]), "")
        said.append(f"## {peer} {own[0]['version']}\n")
        said += [f"Level: {level}. Adapter: {adapter}. {_drives(adapter)}\n"] if adapter else []
        said.append(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}")
        said += [f"| {' | '.join(_cell(row[name]) for name in COLUMNS)} |" for row in own]
        said.append("")
    return "\n".join(said)


def _drives(digest: str) -> str:
    """What the adapter of a digest says that it drives."""
    for path in adapters().values():
        if hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest):
            says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            return " ".join(f"`{path.name}`: {says}".split())
    return "It has changed since."


def _cell(value: str) -> str:
    """Text as it is, in a cell of a table."""
    for special in "\\`*_<>|[]$":
        value = value.replace(special, "\\" + special)
    return " ".join(value.split())
