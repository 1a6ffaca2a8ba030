"""The picture of a comparison: what each protocol costs, and that accuracy is the same."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#E69F00", "#009E73", "#7F7F7F"
"""Okabe and Ito's colours: told apart by colour-blind readers too."""


def comparison_figure(table: pd.DataFrame, dataset: str) -> Figure:
    """Accuracy, bytes and processor time, one bar group a protocol.

    Parameters
    ----------
    table
        `securenb.experiments.compare.Compared.table`.
    """
    done = table[table["failure"] == ""]
    names = list(done["protocol"])
    figure = Figure(figsize=(11, 3.6 + 0.1 * max(0, len(names) - 6)), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    figure.suptitle(f"{dataset}: the same noised round under each protocol")
    _bars(
        left,
        names,
        {
            "accuracy": (done["accuracy"].astype(float), BLUE),
            "balanced accuracy": (done["balanced_accuracy"].astype(float), ORANGE),
        },
    )
    left.set(xlim=(0, 1.15), xlabel="on the test records")
    _bars(
        middle,
        names,
        {"sent": (done["sent"] / 1e3, BLUE), "received": (done["received"] / 1e3, ORANGE)},
        log=True,
    )
    middle.set(xlabel="kB per node")
    _bars(
        right,
        names,
        {
            "node": (1e3 * done["node_cpu"], BLUE),
            "aggregator": (1e3 * done["aggregator_cpu"], ORANGE),
            "trustee": (1e3 * done["trustee_cpu"], GREEN),
        },
        log=True,
    )
    right.set(xlabel="processor time, ms")
    return figure


def _bars(
    axes: Axes, names: list[str], series: dict[str, tuple["pd.Series[float]", str]], *, log: bool = False
) -> None:
    """Horizontal bars with their figures, one group a name; series that are all zero are left out."""
    series = {label: (values, colour) for label, (values, colour) in series.items() if (values > 0).any()}
    height = 0.8 / len(series)
    for index, (label, (values, colour)) in enumerate(series.items()):
        offsets = [at + (index - (len(series) - 1) / 2) * height for at in range(len(names))]
        bars = axes.barh(offsets, values, height * 0.9, color=colour, label=label)
        figures = [f"{value:,.3g}" if value > 0 else "" for value in values]
        axes.bar_label(bars, figures, padding=3, fontsize="x-small")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    if log:
        positive = pd.concat([values[values > 0] for values, _ in series.values()])
        axes.set_xscale("log")
        axes.set_xlim(positive.min() / 4, positive.max() * 4)
    axes.grid(axis="x", color=GREY, alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=len(series)
    )
