"""Figure 1 of the paper, drawn: accuracy against epsilon, modes above each other."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from securenb.report.comparison import GREEN, GREY, ORANGE

SHADES: dict[object, str] = {10: "#8CC1E3", 100: "#2E86C1", 1000: "#123F66"}
"""Light to dark blue: the more nodes, the darker."""

ACROSS = 3


def curves_figure(
    table: pd.DataFrame, exact: Mapping[tuple[str, str], float], modes: Sequence[str]
) -> Figure:
    """One panel a data set and mode.

    Parameters
    ----------
    table
        Tidy, as `securenb.paper.figure1` writes it.
    exact
        Accuracy without noise by data set and mode.
    """
    datasets = list(table["dataset"].drop_duplicates())
    bands = -(-len(datasets) // ACROSS)
    figure = Figure(figsize=(12, 3.1 * bands * len(modes) + 0.6), layout="constrained")
    panels = figure.subplots(bands * len(modes), ACROSS, squeeze=False, sharex=True)
    for index, dataset in enumerate(datasets):
        own = table[table["dataset"] == dataset]
        for row, mode in enumerate(modes):
            axes: Axes = panels[index // ACROSS * len(modes) + row, index % ACROSS]
            _panel(axes, own[own["mode"] == mode], exact[dataset, mode])
            axes.set_title(f"{dataset}, {mode.replace('-', ' ')}", fontsize="medium", loc="left")
            low, high = own["accuracy"].min(), max(own["accuracy"].max(), exact[dataset, mode])
            axes.set_ylim(max(0.0, low - 0.04), min(1.0, high + 0.04))
            if index % ACROSS == 0:
                axes.set_ylabel("test accuracy")
    for axes in panels[-1]:
        axes.set_xlabel("epsilon, all queries of a record together")
    entries: dict[str, Artist] = {}
    for axes in panels.flat:
        handles, labels = axes.get_legend_handles_labels()
        entries.update(zip(labels, handles, strict=True))
    figure.legend(
        list(entries.values()), list(entries), loc="outside lower center", ncols=len(entries), frameon=False
    )
    return figure


def _panel(axes: Axes, own: pd.DataFrame, exact: float) -> None:
    axes.axhline(exact, color=GREY, linestyle=":", linewidth=1, label="no noise")
    for (arm, nodes), line in own.groupby(["arm", "nodes"], sort=False):
        if arm == "federated":
            colour, dash, width, label = SHADES[nodes], "-", 1.5, f"N = {nodes}"
        elif arm == "centralised":
            colour, dash, width, label = ORANGE, "--", 1.5, "centralised"
        else:
            dash = ":" if arm == "one group, Skellam" else "-"
            colour, width, label = GREEN, 2.4, f"ours: {arm}"
        axes.fill_between(line["epsilon"], line["low"], line["high"], color=colour, alpha=0.10, lw=0)
        axes.plot(
            line["epsilon"],
            line["accuracy"],
            color=colour,
            linestyle=dash,
            linewidth=width,
            marker="o",
            markersize=3,
            label=label,
        )
    axes.set_xscale("log")
    axes.grid(color=GREY, alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)
