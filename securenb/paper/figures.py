"""The paper's figures, nodes joining online, and gossip, as charts with a panel for each part."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from scipy.stats import laplace, norm

from securenb.bayes.parameters import Floats
from securenb.report.charts import PALETTE, styled

BLUE, ORANGE, GREEN, *_, GREY = PALETTE
SHADES = {"N = 10": "#8CC1E3", "N = 100": "#2E86C1", "N = 1000": "#123F66"}
"""Light to dark blue: the more nodes, the darker."""
WIDTH, HEIGHT = 250, 190


def accuracy_figure(table: pd.DataFrame, exact: Mapping[tuple[str, str], float]) -> Any:
    """Figure 1: accuracy against epsilon, a panel for each data set and mode, a line for each arm.

    Parameters
    ----------
    table
        Tidy, as `securenb.paper.figure1` writes it.
    exact
        Accuracy without noise by data set and mode.
    """
    keys = list(zip(table["dataset"], table["mode"], strict=True))
    frame = table.assign(
        panel=[f"{dataset}, {mode.replace('-', ' ')}" for dataset, mode in keys],
        line=[_line(arm, nodes) for arm, nodes in zip(table["arm"], table["nodes"], strict=True)],
        exact=[exact[key] for key in keys],
    )
    lines = list(dict.fromkeys(frame["line"]))
    colours = [SHADES.get(line, ORANGE if line == "centralised" else GREEN) for line in lines]
    dashes = [[2, 2] if "Skellam" in line else [6, 3] if line == "centralised" else [1, 0] for line in lines]
    base = alt.Chart(frame).encode(
        x=_x("epsilon", "epsilon, all queries of a record together", log=True),
        color=alt.Color("line:N", title=None, sort=lines, scale=alt.Scale(domain=lines, range=colours)),
    )
    y = alt.Y("accuracy:Q", title="test accuracy", scale=alt.Scale(zero=False))
    dash = alt.StrokeDash("line:N", title=None, sort=lines, scale=alt.Scale(domain=lines, range=dashes))
    means = base.mark_line(point=alt.OverlayMarkDef(size=18)).encode(y=y, strokeDash=dash)
    without = base.mark_rule(strokeDash=[1, 3], color=GREY).encode(
        y="mean(exact):Q", x=alt.value(0), x2=alt.value(WIDTH), color=alt.value(GREY)
    )
    return _panels(base.mark_area(opacity=0.12).encode(y="low:Q", y2="high:Q") + means + without, frame, 3)


def sensitivity_figure(table: pd.DataFrame) -> Any:
    """Figure 2: relative scale against the number of nodes, a panel for each data set and class.

    Parameters
    ----------
    table
        Tidy, as `securenb.paper.figure2` writes it.
    """
    panel = [f"{d}, class {c}" for d, c in zip(table["dataset"], table["class"], strict=True)]
    frame = table.assign(panel=panel)
    base = alt.Chart(frame).encode(
        x=_x("nodes", "nodes", log=True),
        color=alt.Color("feature:N", sort=list(dict.fromkeys(frame["feature"]))),
    )
    y = alt.Y(
        "relative:Q", title="scale of the sum, relative to pooled data", scale=alt.Scale(domain=[0, 1.05])
    )
    band = base.mark_area(opacity=0.15).encode(y="low:Q", y2="high:Q")
    return _panels(band + base.mark_line(point=True).encode(y=y), frame, 3)


def error_figure(errors: Floats, numbers: Sequence[int], title: str) -> Any:
    """Figure 3: histograms of standardised errors beside the Laplace and the normal density.

    Parameters
    ----------
    errors
        Shape (draws, numbers of nodes).
    """
    edges, parts = np.linspace(-7, 7, 57), []
    middles = (edges[1:] + edges[:-1]) / 2
    for count, own in zip(numbers, errors.T, strict=True):
        deviation = own.std()
        drawn = np.histogram((own - own.mean()) / deviation, bins=edges, density=True)[0]
        panel = f"N = {count}, standard deviation {100 * deviation:.2g} %"
        for name, density in {
            "drawn": drawn,
            "Laplace": laplace.pdf(middles, scale=1 / np.sqrt(2)),
            "normal": norm.pdf(middles),
        }.items():
            parts.append(pd.DataFrame({"panel": panel, "line": name, "error": middles, "density": density}))
    frame = pd.concat(parts, ignore_index=True)
    lines = ["drawn", "Laplace", "normal"]
    chart = (
        alt.Chart(frame[frame["density"] >= 1e-4])
        .mark_line()
        .encode(
            x=_x("error", "error in standard deviations"),
            y=alt.Y("density:Q", scale=alt.Scale(type="log", domain=[1e-4, 2], clamp=True)),
            color=alt.Color(
                "line:N", title=title, sort=lines, scale=alt.Scale(domain=lines, range=PALETTE[:3])
            ),
        )
    )
    return _panels(alt.layer(chart), frame[frame["density"] >= 1e-4], 3)


def joining_figure(table: pd.DataFrame) -> Any:
    """Accuracy against the number of nodes so far, a panel for each data set, a line for each order."""
    frame = table.assign(panel=table["dataset"] + ", as published")
    base = alt.Chart(frame).encode(x=_x("nodes", "nodes so far"))
    y = alt.Y("accuracy:Q", title="test accuracy", scale=alt.Scale(zero=False))
    orders = base.mark_line(color=BLUE, opacity=0.25, strokeWidth=0.8).encode(y=y, detail="order:N")
    mean = base.mark_line(color=ORANGE, strokeWidth=2).encode(y="mean(accuracy):Q")
    return _panels(orders + mean, frame, 2)


def gossip_figure(table: pd.DataFrame) -> Any:
    """Error, and accuracy of the mean and the worst node, by round, a line for each topology.

    Parameters
    ----------
    table
        Tidy, as `securenb.paper.decentralised` writes it.
    """
    topologies = list(dict.fromkeys(table["topology"]))
    names = {
        "error": "largest relative error of a node",
        "accuracy": "test accuracy",
        "worst": "test accuracy of the worst node",
    }
    charts = [
        alt.Chart(table[table[column] > 0])
        .mark_line()
        .encode(
            x=_x("round", "round"),
            y=alt.Y(
                f"{column}:Q", title=name, scale=alt.Scale(type="log" if column == "error" else "linear")
            ),
            color=alt.Color("topology:N", sort=topologies),
        )
        .properties(width=WIDTH, height=HEIGHT)
        for column, name in names.items()
    ]
    return styled(alt.hconcat(*charts), fit=False)


def _line(arm: str, nodes: int) -> str:
    return {"federated": f"N = {nodes}", "centralised": "centralised"}.get(arm, f"ours: {arm}")


def _x(column: str, title: str, *, log: bool = False) -> alt.X:
    return alt.X(f"{column}:Q", title=title, scale=alt.Scale(type="log" if log else "linear"))


def _panels(layers: Any, frame: pd.DataFrame, columns: int) -> Any:
    """Layers, once for each value of `panel`, each with an axis of its own."""
    order = list(dict.fromkeys(frame["panel"]))
    facet = alt.Facet("panel:N", title=None, sort=order)
    whole = alt.layer(*layers.layer, data=frame).properties(width=WIDTH, height=HEIGHT)
    return styled(whole.facet(facet, columns=columns).resolve_scale(y="independent"), fit=False)
