"""Whether what is claimed of privacy is true, as far as an audit could tell."""

from collections.abc import Sequence

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section


class Audit(Section):
    """The findings of `securenb audit`, level by level."""

    title = "Audit"
    order = 35

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for run in runs:
            audit = run.documents.get("audit")
            if audit is None:
                continue
            content.heading(audit["target"])
            content.text(audit["conclusion"])
            claimed = "nothing" if audit["claimed"] is None else f"epsilon {audit['claimed']:.6g}"
            content.facts(
                {
                    "claimed": f"{claimed} at delta {audit['delta']:g}",
                    "neighbours": audit["adjacency"],
                    "the adversary sees": audit["view"],
                    "confidence": f"{audit['confidence']:.4g}, of each statistical level",
                    "not covered": "; ".join(audit["not_covered"]),
                }
            )
            columns = ["level", "verdict", "check", "evidence", "bound", "claimed"]
            content.table(
                pd.DataFrame(audit["findings"])[columns], "Findings; bounds are lower bounds on epsilon"
            )
