"""What `securenb audit --zoo` does: our own audits, judged by mechanisms whose privacy is known."""

import json as json_format
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from attacks.audit.bench import RUNS, Outcome, audit_zoo, summary, table
from securenb.cli import console
from securenb.experiments.tables import write_table


def audit_all(
    seed: int, trials: int | None, seconds: float, confidence: float | None, progress: Callable[[str], None]
) -> list[Outcome]:
    """Both levels on every mechanism of the zoo."""
    return list(
        audit_zoo(
            seeds=(seed,),
            runs=trials or RUNS,
            seconds=seconds,
            confidence=confidence or 0.999,
            progress=progress,
        )
    )


def show(outcomes: list[Outcome], out: Path | None, *, json: bool) -> int:
    """Print the table and what it comes to; 1 if a clear bug was missed or a sound mechanism alarmed about.

    Raises
    ------
    ValueError
        If `out` is there already.
    """
    lines, total = table(outcomes), summary(outcomes)
    if out is not None:
        if out.exists():
            raise ValueError(f"{out} exists; choose another file")
        write_table(pd.DataFrame([asdict(outcome) for outcome in outcomes]), out)
    if json:
        console.show_json({"summary": total, "outcomes": [asdict(outcome) for outcome in outcomes]})
    else:
        rows = [[str(cell) for cell in row] for row in lines.to_numpy().tolist()]
        console.show_table("mechanisms of known privacy", list(lines.columns), rows)
        console.say(json_format.dumps(total))
    alarmed = not str(total["false alarms"]).startswith("0 ")
    return 1 if alarmed or total["missed"] else 0
