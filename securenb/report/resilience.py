"""Pictures of resilience: curves, a map of rules and attacks, where rules break."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from securenb.experiments.intervals import summarised

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7F7F7F", "#000000")
"""Okabe and Ito's, told apart by colour-blind readers; after eight, lines are dashed, then dotted."""
STYLES = ("-", "--", ":", "-.")
SCORE = "balanced_accuracy"
SETTING = ("dataset", "nodes", "sizes", "label_skew", "numeric", "mechanism", "inputs", "cap_ratio")
"""Columns that tell apart what must not share a panel."""


def worst(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """The lowest mean score over attacks, with its interval and the attack; `by` says what is kept apart.

    Parameters
    ----------
    table
        Results, without the attacks that are not to count. Where nobody is malicious, no attack counts.
    """
    means = summarised(table, [*by, "attack"], SCORE)
    lowest = means.dropna(subset=["mean"]).groupby(list(by), sort=False, dropna=False)["mean"].idxmin()
    return means.loc[lowest].reset_index(drop=True)


def curves(table: pd.DataFrame, title: str) -> Figure:
    """Score against the share of malicious nodes, worst attack: a line for each rule, a panel a setting."""
    panels = _panels(table, ["epsilon", "group_size", "inputs", "cap_ratio"])
    figure, axes = _grid(len(panels), title)
    for panel, (name, part) in zip(axes, panels, strict=False):
        found = worst(part, ["rule", "share"])
        for index, rule in enumerate(dict.fromkeys(part["rule"])):
            line = found[found["rule"] == rule].sort_values("share")
            colour, style = COLOURS[index % 8], STYLES[index // 8 % 4]
            panel.plot(
                100 * line["share"], line["mean"], style, marker="o", ms=3, color=colour, label=rule, lw=1.4
            )
            panel.fill_between(100 * line["share"], line["low"], line["high"], color=colour, alpha=0.15, lw=0)
        _chance(panel, part)
        panel.set(title=name, xlabel="malicious nodes, %", ylim=(0, 1))
    _shared(figure, axes, "balanced accuracy, worst attack")
    return figure


def heat_map(table: pd.DataFrame, title: str) -> Figure:
    """Mean score of every rule under every attack, at the largest share of malicious nodes below a quarter.

    A panel a setting; where there is no such share, the smallest above nothing.
    """
    shares = sorted(share for share in table["share"].unique() if share > 0)
    below = [share for share in shares if share < 0.25]
    share = below[-1] if below else shares[0]
    part = table[(table["share"] == share) | (table["malicious"] == 0)]
    panels = _panels(part, ["epsilon", "group_size", "inputs", "cap_ratio"])
    rules = list(dict.fromkeys(part["rule"]))
    attacks = list(dict.fromkeys(part["attack"]))
    columns = min(len(panels), 3)
    height = 0.24 * len(attacks) + 1.9
    figure = Figure(figsize=(2.4 + columns * (0.36 * len(rules) + 0.9), height * -(-len(panels) // columns)),
                    layout="constrained")  # fmt: skip
    figure.suptitle(f"{title}: balanced accuracy, {100 * share:.0f} % of the nodes malicious")
    axes = figure.subplots(-(-len(panels) // columns), columns, squeeze=False).reshape(-1)
    image = None
    for panel, (name, some) in zip(axes, panels, strict=False):
        means = summarised(some, ["attack", "rule"], SCORE).pivot(
            index="attack", columns="rule", values="mean"
        )
        values = means.reindex(index=attacks, columns=rules).to_numpy(dtype=np.float64)
        image = panel.imshow(values, vmin=0, vmax=1, cmap="cividis", aspect="auto")
        for row, column in np.ndindex(values.shape):
            value = values[row, column]
            text = "–" if np.isnan(value) else f"{value:.2f}".lstrip("0")
            panel.text(column, row, text, ha="center", va="center", fontsize=6,
                       color="white" if value < 0.55 else "black")  # fmt: skip
        panel.set_xticks(range(len(rules)), rules, rotation=60, ha="right", fontsize=7)
        panel.set_yticks(range(len(attacks)), attacks, fontsize=7)
        panel.set_title(name, fontsize=9)
    for panel in axes[len(panels) :]:
        panel.set_visible(False)
    assert image is not None
    figure.colorbar(image, ax=list(axes), shrink=0.5)
    return figure


def breakdowns(table: pd.DataFrame, title: str) -> Figure:
    """Measured against predicted breakdown, in malicious nodes: a dot a trial, a colour a kind."""
    figure = Figure(figsize=(8.2, 4.6), layout="constrained")
    axes = figure.subplots()
    top = max(table["predicted"].max(), table["measured"].max()) * 1.08
    axes.plot([0, top], [0, top], color=COLOURS[6], lw=1)
    axes.fill_between([0, top], [-1, top - 1], [1, top + 1], color=COLOURS[6], alpha=0.2, lw=0)
    jitter = np.random.default_rng(0).uniform(-0.25, 0.25, len(table))
    spread = pd.Series(jitter, index=table.index)
    for index, (kind, part) in enumerate(table.groupby("kind", sort=False)):
        x, y = (part[name] + spread[part.index] for name in ("predicted", "measured"))
        marker, colour = "os^"[index // 8 % 3], COLOURS[index % 8]
        axes.plot(x, y, marker, ms=3, alpha=0.6, color=colour, label=str(kind))
    axes.set(xlim=(0, top), ylim=(0, top), xlabel="predicted, malicious nodes", ylabel="measured")
    axes.set_title(f"{title}: where rules break (band: ± 1 node)", fontsize=10)
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _panels(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """Parts that differ in `columns`, named by what differs."""
    varying = [column for column in columns if table[column].nunique(dropna=False) > 1]
    if not varying:
        return [("", table)]
    parts = []
    for key, part in table.groupby(varying, sort=False, dropna=False):
        words = [_words(column, value) for column, value in zip(varying, key, strict=True)]
        parts.append((", ".join(word for word in words if word), part))
    return parts


def _words(column: str, value: object) -> str:
    missing = value is None or value != value
    if column == "group_size":
        return "one group" if missing else f"groups of {value:.0f}"
    if column == "cap_ratio":
        return "" if missing else f"cap {value:g}"
    return str(value) if column == "inputs" else f"{column} {value}"


def _grid(panels: int, title: str) -> tuple[Figure, list[Axes]]:
    columns = min(panels, 3)
    rows = -(-panels // columns)
    figure = Figure(figsize=(2.0 + 3.4 * columns, 0.8 + 3.0 * rows), layout="constrained")
    figure.suptitle(title)
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=True).reshape(-1))
    for panel in axes[panels:]:
        panel.set_visible(False)
    return figure, axes


def _chance(panel: Axes, part: pd.DataFrame) -> None:
    panel.axhline(1 / int(part["classes"].iloc[0]), color=COLOURS[6], lw=0.8, ls=(0, (1, 3)))
    panel.grid(color=COLOURS[6], alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


def _shared(figure: Figure, axes: Sequence[Axes], label: str) -> None:
    figure.supylabel(label, fontsize=10)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize="small")
