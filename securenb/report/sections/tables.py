"""All results, to be sorted, filtered and copied."""

from collections.abc import Sequence

from securenb.report.run import Run
from securenb.report.section import Content, Section

MOST = 1000
"""Rows of one table that a page shows; longer ones stay in their CSV file."""


UNFOLDED = 12
"""Rows of one table that are shown without being asked for."""


class Tables(Section):
    """Every CSV file of the runs."""

    title = "Results"
    order = 90

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for run in runs:
            for name, table in run.tables.items():
                cut = f", the first {MOST:,} of {len(table):,} rows" if len(table) > MOST else ""
                with content.folded(f"{name}.csv, {len(table):,} rows", fold=len(table) > UNFOLDED):
                    content.table(table.head(MOST), f"{run.name}/{name}.csv{cut}")
