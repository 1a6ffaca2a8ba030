"""Figures 2 and 3 of the paper, nodes joining online, and gossip, drawn."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import laplace, norm

from securenb.bayes.parameters import Floats
from securenb.report.comparison import BLUE, GREEN, GREY, ORANGE

WHEEL = (BLUE, ORANGE, GREEN, "#CC79A7", "#D55E00", "#56B4E9")
"""Okabe and Ito's, for up to six features."""


def sensitivity_figure(table: pd.DataFrame) -> Figure:
    """Relative scale against the number of nodes, a panel for each data set and class.

    Parameters
    ----------
    table
        Tidy, as `securenb.paper.figure2` writes it.
    """
    panels = list(table.groupby(["dataset", "class"], sort=False))
    figure = Figure(figsize=(3.1 * len(panels), 3.9), layout="constrained")
    for axes, ((dataset, label), own) in zip(
        figure.subplots(1, len(panels), sharey=True, squeeze=False).flat, panels, strict=True
    ):
        for colour, (feature, line) in zip(WHEEL, own.groupby("feature", sort=False), strict=False):
            axes.fill_between(line["nodes"], line["low"], line["high"], color=colour, alpha=0.12, lw=0)
            axes.plot(line["nodes"], line["relative"], marker="o", color=colour, label=str(feature))
        axes.set_xscale("log")
        axes.set_title(f"{dataset}, class {label}", loc="left", fontsize="medium")
        axes.set_xlabel("nodes")
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": 3}
        axes.legend(frameon=False, fontsize="x-small", columnspacing=1, **below)
        _plain(axes)
    figure.axes[0].set_ylabel("scale of the sum, relative to pooled data")
    figure.axes[0].set_ylim(0, 1.05)
    return figure


def error_figure(errors: Floats, numbers: Sequence[int], title: str) -> Figure:
    """Histograms of standardised errors beside the Laplace and the normal density, on a log axis.

    Parameters
    ----------
    errors
        Shape (draws, numbers of nodes).
    """
    figure = Figure(figsize=(4 * len(numbers), 3.6), layout="constrained")
    figure.suptitle(f"Relative error of the mean: {title}", x=0.01, ha="left", fontsize="medium")
    grid = np.linspace(-7, 7, 281)
    edges = np.linspace(-7, 7, 57)
    for axes, count, own in zip(
        figure.subplots(1, len(numbers), sharey=True, squeeze=False).flat, numbers, errors.T, strict=True
    ):
        spread = own.std()
        axes.hist((own - own.mean()) / spread, bins=list(edges), density=True, color=BLUE, alpha=0.35)
        axes.plot(grid, laplace.pdf(grid, scale=1 / np.sqrt(2)), color=ORANGE, label="Laplace")
        axes.plot(grid, norm.pdf(grid), color=GREEN, linestyle="--", label="normal")
        axes.set_yscale("log")
        axes.set_ylim(1e-4, 2)
        axes.set_title(f"N = {count}, standard deviation {100 * spread:.2g} %", fontsize="medium", loc="left")
        axes.set_xlabel("error in standard deviations")
        axes.legend(frameon=False, fontsize="small")
        _plain(axes)
    figure.axes[0].set_ylabel("density")
    return figure


def joining_figure(table: pd.DataFrame) -> Figure:
    """Accuracy against the number of nodes so far, a panel for each data set, a line for each order."""
    panels = list(table.groupby("dataset", sort=False))
    figure = Figure(figsize=(5 * len(panels), 3.6), layout="constrained")
    for axes, (dataset, own) in zip(figure.subplots(1, len(panels), squeeze=False).flat, panels, strict=True):
        wide = own.pivot_table(index="nodes", columns="order", values="accuracy")
        axes.plot(wide.index, wide, color=BLUE, alpha=0.25, linewidth=0.8)
        axes.plot(wide.index, wide.mean(axis=1), color=ORANGE, linewidth=2, label="mean over orders")
        axes.set_title(f"{dataset}, as published", loc="left", fontsize="medium")
        axes.set_xlabel("nodes so far")
        axes.legend(frameon=False, fontsize="small", loc="lower right")
        _plain(axes)
    figure.axes[0].set_ylabel("test accuracy")
    return figure


def gossip_figure(table: pd.DataFrame) -> Figure:
    """Error and accuracy by round, a line for each topology; the worst node is dashed.

    Parameters
    ----------
    table
        Tidy, as `securenb.paper.decentralised` writes it.
    """
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for colour, (topology, own) in zip(WHEEL, table.groupby("topology", sort=False), strict=False):
        left.plot(own["round"], own["error"], color=colour, label=str(topology))
        right.plot(own["round"], own["accuracy"], color=colour, label=str(topology))
        right.plot(own["round"], own["worst"], color=colour, linestyle="--", linewidth=1)
    left.set_yscale("log")
    left.set(xlabel="round", ylabel="largest relative error of a node")
    right.set(xlabel="round", ylabel="test accuracy (dashed: worst node)")
    for axes in (left, right):
        axes.legend(frameon=False, fontsize="small")
        _plain(axes)
    return figure


def _plain(axes: Axes) -> None:
    axes.grid(color=GREY, alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)
