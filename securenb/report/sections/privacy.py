"""What each who saw something can have learned of a record, by the ledger."""

from collections.abc import Iterator, Sequence

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Answer, Content, Section

MODEL = {"learned", "epsilon_add_remove", "epsilon_replace_one", "delta"}
"""Columns of a run that is one round."""


class Privacy(Section):
    """The ledger, both adjacencies beside each other."""

    title = "Privacy"
    order = 40

    def answers(self, run: Run) -> Iterator[Answer]:
        """See `Section.answers`."""
        results = run.tables.get("results")
        if len(run.rounds) != 1 or results is None or not set(results.columns) >= MODEL or len(results) != 1:
            return
        line = results.iloc[0]
        cost = (
            "no noise was added, so it bounds nothing about a record"
            if line["epsilon_add_remove"] in ("none", "inf", float("inf"))
            else f"it cost a record epsilon {line['epsilon_add_remove']} when records are added or removed, "
            f"{line['epsilon_replace_one']} when one is replaced, delta {line['delta']:g}"
        )
        score = line.get("balanced_accuracy")
        worth = (
            "" if score is None or score != score else f"Balanced accuracy {score:.3f} on the test records; "
        )
        yield Answer(
            "What is the model worth, and what did it cost a record?",
            f"{worth}{cost}. The aggregator learned {line['learned']}.",
            "how the accuracy varies with the seed, and whether the charge is true: an audit attacks it.",
        )

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        lines = [
            {
                "run": run.name,
                "protocol": protocol,
                "seen by": charge["seen by"],
                "what": charge["what"],
                "adjacency": charge["adjacency"],
                "epsilon": charge["epsilon"],
                "delta": charge["delta"],
                "noise": ", ".join(record["mechanisms"]),
            }
            for run in runs
            for protocol, record in run.rounds.items()
            for charge in record["charges"]
        ]
        if not lines:
            return
        content.text(
            "What the releases cost one record at the node that paid most. Under add-remove the neighbouring "
            "data have one record more or less; under replace-one, one record changed."
        )
        ledger = side_by_side(pd.DataFrame(lines))
        content.table(ledger.drop(columns="run") if len(runs) == 1 else ledger, "Ledger")
        shown = witnesses(runs)
        if shown:
            content.text(
                "What the noise in cells that no record touches showed: bounds on epsilon of a row under "
                "add-remove, with 95 % confidence, if only the width of all shares is in doubt."
            )
            found = pd.DataFrame(shown)
            content.table(found.drop(columns="run") if len(runs) == 1 else found, "Noise witnesses")


def witnesses(runs: Sequence[Run]) -> list[dict[str, str]]:
    """One line for each round that had witness cells."""
    return [
        {
            "run": run.name,
            "protocol": protocol,
            "found": shown["found"],
            "epsilon claimed": _figure(shown["claimed"]),
            "at least": _figure(shown["lower"]),
            "at most": _figure(shown["upper"]),
        }
        for run in runs
        for protocol, record in run.rounds.items()
        if (shown := record.get("witnesses")) is not None
    ]


def _figure(bound: float | None) -> str:
    return "no bound" if bound is None else f"{bound:.4g}"


def side_by_side(charges: pd.DataFrame) -> pd.DataFrame:
    """One line for each who saw what, with a column for epsilon under each adjacency."""
    by = [column for column in charges.columns if column not in ("adjacency", "epsilon")]
    wide = charges.pivot_table(index=by, columns="adjacency", values="epsilon", aggfunc="first", sort=False)
    wide.columns = [f"epsilon, {adjacency}" for adjacency in wide.columns]
    wide = wide.reset_index()
    return wide[[*by[:4], *(name for name in wide.columns if name.startswith("epsilon")), *by[4:]]]
