"""What each who saw something can have learned of a record, by the ledger."""

from collections.abc import Sequence

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Privacy(Section):
    """The ledger under both adjacencies."""

    title = "Privacy"
    order = 40

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        lines = [
            {"run": run.name, "protocol": protocol, **charge, "noise": ", ".join(record["mechanisms"])}
            for run in runs
            for protocol, record in run.rounds.items()
            for charge in record["charges"]
        ]
        if not lines:
            return
        frame = pd.DataFrame(lines)
        content.text(
            "What the releases cost one record at the node that paid most. Under add-remove the neighbouring "
            "data have one record more or less; under replace-one, one record changed."
        )
        content.table(frame.drop(columns="run") if len(runs) == 1 else frame, "Ledger")
