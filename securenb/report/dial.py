"""The dial between privacy and robustness: accuracy against the size of groups."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from securenb.report.resilience import worst

ONE_GROUP = "sum"
"""The rule that stands in for one that cannot run on a single row."""


def dial(table: pd.DataFrame, title: str) -> Figure:
    """Score against group size under the worst attack: a line a share of malicious nodes, a panel an epsilon.

    Small groups carry more noise, large ones more often a malicious node. One row of panels for each kind of
    inputs, cap and rule. If the rule `sum` was measured beside others it has no panels of its own: it stands,
    hollow, for what is left where all nodes are one group and no other rule can run.

    Parameters
    ----------
    table
        Results of one data set, without backdoors, whose success is no matter of accuracy.
    title
        What stands above.
    """
    nodes = int(table["nodes"].iloc[0])
    some = table.assign(group_size=table["group_size"].fillna(nodes).astype(int))
    rules = [rule for rule in dict.fromkeys(some["rule"]) if rule != ONE_GROUP] or [ONE_GROUP]
    kinds = list(some.groupby(["inputs", "cap_ratio"], sort=False, dropna=False))
    epsilons = list(dict.fromkeys(some["epsilon"]))
    rows = [(key, part, rule) for key, part in kinds for rule in rules]
    figure = Figure(figsize=(1.2 + 2.9 * len(epsilons), 1.3 + 2.1 * len(rows)), layout="constrained")
    figure.suptitle(title, fontsize=11)
    axes = figure.subplots(len(rows), len(epsilons), squeeze=False, sharex=True, sharey=True)
    for panels, ((inputs, cap), part, rule) in zip(axes, rows, strict=True):
        for panel, epsilon in zip(panels, epsilons, strict=True):
            _lines(panel, part[part["epsilon"] == epsilon], rule, nodes)
        checks = "nothing checked" if inputs == "unchecked" else f"proven, cap {cap:g} × mean"
        panels[0].set_ylabel(f"{rule}\n{checks}\n\nbalanced accuracy", fontsize=9)
    for panel, epsilon in zip(axes[0], epsilons, strict=True):
        panel.set_title("no noise" if epsilon == "none" else f"epsilon {epsilon}", fontsize=10)
    sizes = sorted(some["group_size"].unique())
    for panel in axes[-1]:
        panel.set_xticks(range(len(sizes)), ["all" if size == nodes else str(size) for size in sizes])
        panel.set_xlabel("nodes in a group")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, title="malicious nodes", loc="outside lower center", ncols=len(labels), frameon=False
    )
    return figure


def _lines(panel: Axes, part: pd.DataFrame, rule: str, nodes: int) -> None:
    """One line a share, at equal distances between group sizes."""
    sizes = sorted(part["group_size"].unique())
    shares = sorted(part["share"].unique())
    found = worst(part, ["rule", "share", "group_size"])
    whole = found[(found["rule"] == ONE_GROUP) & (found["group_size"] == nodes)]
    for share, colour in zip(shares, colormaps["plasma"](np.linspace(0.0, 0.85, len(shares))), strict=True):
        own = found[(found["rule"] == rule) & (found["share"] == share)]
        alone = whole[whole["share"] == share] if nodes not in set(own["group_size"]) else whole[:0]
        line = pd.concat([own, alone]).sort_values("group_size")
        x = [sizes.index(size) for size in line["group_size"]]
        panel.plot(x, line["mean"], "-", color=colour, lw=1.5, label=f"{100 * share:.0f} %")
        panel.fill_between(x, line["low"], line["high"], color=colour, alpha=0.15, lw=0)
        for place, size, mean in zip(x, line["group_size"], line["mean"], strict=True):
            hollow = len(alone) and size == nodes
            panel.plot(place, mean, "o", ms=4.5, mfc="white" if hollow else colour, mec=colour)
    panel.axhline(1 / int(part["classes"].iloc[0]), color="#7F7F7F", lw=0.8, ls=(0, (1, 3)))
    panel.grid(color="#7F7F7F", alpha=0.2)
    panel.spines[["top", "right"]].set_visible(False)
    panel.set_ylim(0, 1)
