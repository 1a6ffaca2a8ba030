"""The picture of certified accuracy against the number of malicious nodes."""

import pandas as pd
from matplotlib.figure import Figure

from securenb.report.comparison import BLUE, GREY, ORANGE

CURVES = {
    "certified_accuracy": (BLUE, "o", "accuracy"),
    "certified_balanced_accuracy": (ORANGE, "s", "balanced accuracy"),
}


def certificates_figure(table: pd.DataFrame, cap: int) -> Figure:
    """What stays right, whatever so many malicious nodes with `cap` records each add.

    Parameters
    ----------
    table
        `securenb.experiments.saved_model.curve`.
    """
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for column, (colour, marker, label) in CURVES.items():
        axes.step(table["malicious"], table[column], where="post", color=colour, label=label)
        axes.plot(table["malicious"], table[column], color=colour, marker=marker, linestyle="none")
    axes.set(
        xlabel=f"malicious nodes, each adding up to {cap:,} records",
        ylabel="certified, on the points judged",
        ylim=(0, 1.02),
    )
    axes.grid(color=GREY, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure
