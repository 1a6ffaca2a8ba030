"""What a protocol costs as nodes become more."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.experiments.scale import slope
from securenb.report.charts import legend, styled
from securenb.report.run import Run
from securenb.report.section import Content, Section

COSTS = {
    "kB per node": (1e3, {"sent": "sent", "received": "received"}),
    "processor time per node, ms": (
        1e-3,
        {"node_cpu": "node", "aggregator_cpu": "aggregator, for each node"},
    ),
}
"""Title of an axis, its unit in the table's, and what each cost is called."""

TITLE = {cost: name for _, names in COSTS.values() for cost, name in names.items()}


class Scaling(Section):
    """The curves of `securenb scale`."""

    title = "What it costs as nodes become more"
    order = 40

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            table = run.tables.get("results")
            if table is None or not set(table.columns) >= {"length", "nodes", *COSTS["kB per node"][1]}:
                continue
            first = table.iloc[0]
            for part, title in enumerate(COSTS):
                content.figure(
                    f"scale-{index}-{part}",
                    costs(table, title),
                    f"{first['protocol']}: {title}, {first['length']:,} coordinates, one group.",
                )


def costs(table: pd.DataFrame, title: str) -> Any:
    """Cost against the number of nodes, both logarithmic, each with its fitted power of n in its label."""
    unit, names = COSTS[title]
    parts = []
    for cost, name in names.items():
        shown = table[table[cost] > 0]
        power = slope(table, cost) if len(shown) else None
        label = name if power is None else f"{name}: grows as n^{power:.2f}"
        parts.append(pd.DataFrame({"nodes": shown["nodes"], "value": shown[cost] / unit, "cost": label}))
    frame = pd.concat(parts, ignore_index=True)
    labels = list(dict.fromkeys(frame["cost"]))
    # what is flat must look flat
    low, high = frame["value"].min() / 4, frame["value"].max() * 4
    lines = (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=60))
        .encode(
            x=alt.X(
                "nodes:Q",
                title="nodes n",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=sorted(set(frame["nodes"])), format=","),
            ),
            y=alt.Y("value:Q", title=title, scale=alt.Scale(type="log", domain=[low, high])),
            color=alt.Color("cost:N", sort=labels, legend=legend(labels)),
            tooltip=["cost:N", alt.Tooltip("nodes:Q", format=","), alt.Tooltip("value:Q", format=",.4~g")],
        )
    )
    return styled(lines.properties(width="container", height=280))
