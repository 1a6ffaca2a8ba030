"""The picture of a protocol's cost per node against the number of nodes, both logarithmic."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator, StrMethodFormatter

from securenb.experiments.scale import slope
from securenb.report.comparison import BLUE, GREEN, GREY, ORANGE

BYTES = {"sent": (BLUE, "o"), "received": (ORANGE, "s")}
SECONDS = {"node_cpu": (BLUE, "o"), "aggregator_cpu": (GREEN, "^")}
TITLE = {
    "sent": "sent",
    "received": "received",
    "node_cpu": "node",
    "aggregator_cpu": "aggregator, for each node",
}


def scaling_figure(table: pd.DataFrame) -> Figure:
    """Bytes and processor time per node, each with the fitted power of n in its label.

    Parameters
    ----------
    table
        `securenb.experiments.scale.scale`.
    """
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    first = table.iloc[0]
    figure.suptitle(f"{first['protocol']}: cost per node, {first['length']:,} coordinates, one group")
    panels = ((BYTES, 1e3, "kB per node"), (SECONDS, 1e-3, "processor time per node, ms"))
    for axes, (costs, unit, label) in zip(figure.subplots(1, 2), panels, strict=True):
        for cost, (colour, marker) in costs.items():
            shown = table[table[cost] > 0]
            if shown.empty:
                continue
            power = slope(table, cost)
            fitted = TITLE[cost] if power is None else f"{TITLE[cost]}: grows as n^{power:.2f}"
            axes.plot(shown["nodes"], shown[cost] / unit, color=colour, marker=marker, label=fitted)
        axes.set(xscale="log", yscale="log", xlabel="nodes n", ylabel=label)
        axes.set_xticks(table["nodes"], [f"{count:,}" for count in table["nodes"]])
        axes.xaxis.set_minor_locator(NullLocator())
        low, high = axes.get_ylim()
        axes.set_ylim(low / 4, high * 4)  # what is flat must look flat
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(color=GREY, alpha=0.3, which="both")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16))
    return figure
