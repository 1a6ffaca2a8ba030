"""What each who saw something can have learned of a record, by the ledger."""

from collections.abc import Sequence

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Privacy(Section):
    """The ledger, both adjacencies beside each other."""

    title = "Privacy"
    order = 40

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


def side_by_side(charges: pd.DataFrame) -> pd.DataFrame:
    """One line for each who saw what, with a column for epsilon under each adjacency."""
    by = [column for column in charges.columns if column not in ("adjacency", "epsilon")]
    wide = charges.pivot_table(index=by, columns="adjacency", values="epsilon", aggfunc="first", sort=False)
    wide.columns = [f"epsilon, {adjacency}" for adjacency in wide.columns]
    wide = wide.reset_index()
    return wide[[*by[:4], *(name for name in wide.columns if name.startswith("epsilon")), *by[4:]]]
