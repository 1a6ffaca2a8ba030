"""Where rules break, measured against predicted."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import INK, legend, styled
from securenb.report.run import Run
from securenb.report.section import Content, Section

COLUMNS = {"kind", "predicted", "measured"}


class Breakdown(Section):
    """A dot a trial, beside the line on which predictions are right."""

    title = "Where rules break"
    order = 27

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            for table in (run.tables.get("breakdown"), run.tables.get("results")):
                if table is not None and set(table.columns) >= COLUMNS:
                    name = "" if len(runs) == 1 else f"{run.name}: "
                    content.figure(
                        f"breakdown-{index}",
                        breakdowns(table),
                        f"{name}malicious nodes at which a rule breaks; the band is one node either way.",
                    )
                    break


def breakdowns(table: pd.DataFrame) -> Any:
    """Measured against predicted breakdown, in malicious nodes: a dot for trials alike, a colour a kind."""
    counted = table.groupby(["kind", "predicted", "measured"], sort=False).size().reset_index(name="trials")
    kinds = list(dict.fromkeys(counted["kind"]))
    top = float(max(counted["predicted"].max(), counted["measured"].max())) * 1.08
    ideal = pd.DataFrame({"x": [0.0, top], "y": [0.0, top], "low": [-1.0, top - 1], "high": [1.0, top + 1]})
    band = alt.Chart(ideal).mark_area(opacity=0.15, color=INK).encode(x="x:Q", y="low:Q", y2="high:Q")
    line = alt.Chart(ideal).mark_line(color=INK, opacity=0.5, strokeWidth=1).encode(x="x:Q", y="y:Q")
    scale = alt.Scale(domain=[0, top])
    dots = (
        alt.Chart(counted)
        .mark_point(filled=True, opacity=0.7)
        .encode(
            x=alt.X("predicted:Q", title="predicted, malicious nodes", scale=scale),
            y=alt.Y("measured:Q", title="measured", scale=scale),
            size=alt.Size("trials:Q", legend=None, scale=alt.Scale(range=[40, 200])),
            color=alt.Color("kind:N", sort=kinds, legend=legend(kinds)),
            tooltip=["kind:N", "predicted:Q", "measured:Q", "trials:Q"],
        )
    )
    return styled((band + line + dots).properties(width="container", height=340))
