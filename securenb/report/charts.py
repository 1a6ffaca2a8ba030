"""How charts look: one palette, readable by colour-blind people, units on every axis."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F"]
"""Okabe and Ito (2008)."""

PHONE = 300
"""Pixels that a chart has on a narrow screen."""

ROOM = 0.05
"""What an axis of scores shows beyond the lowest and the highest."""

INK = "currentColor"
"""Drawn as SVG, words and axes follow the page from light to dark; saved as a file they are black."""


def styled(chart: Any, *, fit: bool = True) -> Any:
    """The chart, as wide as the page if it can be, with the house's fonts and colours and no frame."""
    if fit:
        chart = chart.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    words = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12}
    return (
        chart.configure(background="transparent", font="system-ui, sans-serif")
        .configure_view(stroke=None)
        .configure_range(category=PALETTE)
        .configure_axis(
            **words,
            titleFontWeight="normal",
            domainColor=INK,
            tickColor=INK,
            gridColor=INK,
            gridOpacity=0.12,
        )
        .configure_legend(**words, titleFontWeight="normal", orient="top", symbolOpacity=1)
    )


def _around(scores: "pd.Series[float]") -> list[float]:
    """The part of [0, 1] on which differences between these scores can be seen."""
    return [max(0.0, float(scores.min()) - ROOM), min(1.0, float(scores.max()) + ROOM)]


def legend(labels: Sequence[str], title: str | None = None) -> alt.Legend:
    """A legend with as many columns as fit on a phone."""
    widest = max(map(len, labels), default=1)
    return alt.Legend(title=title, columns=max(1, PHONE // (7 * widest + 30)), labelLimit=PHONE - 30)


def dots(frame: Any, *, title: str, log: bool = False) -> Any:
    """A line for each protocol, with a dot of its own colour and shape for each series.

    Parameters
    ----------
    frame
        Tidy: columns `protocol`, `series`, `value`; zeros are left out on a logarithmic axis. A linear axis
        is for scores in [0, 1] and shows `ROOM` on either side of them.
    title
        Of the axis, with the unit.
    """
    shown = frame[frame["value"] > 0] if log else frame
    scale = alt.Scale(type="log") if log or shown.empty else alt.Scale(domain=_around(shown["value"]))
    series = list(dict.fromkeys(frame["series"]))
    marks = (
        alt.Chart(shown)
        .mark_point(filled=True, size=130)
        .encode(
            x=alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(labelOverlap=True, format=",~r")),
            y=alt.Y(
                "protocol:N",
                title=None,
                sort=list(dict.fromkeys(frame["protocol"])),
                axis=alt.Axis(labelLimit=260),
            ),
            color=alt.Color("series:N", sort=series, legend=legend(series)),
            shape=alt.Shape("series:N", sort=series, legend=None),
            tooltip=["protocol:N", "series:N", alt.Tooltip("value:Q", format=",.4~g")],
        )
    )
    return styled(marks.properties(width="container", height=34 * frame["protocol"].nunique()))


def chosen(chart: Any, frame: pd.DataFrame, menus: Mapping[str, str], first: Mapping[str, str]) -> Any:
    """The chart with a menu for each column of `menus` that has several values; it shows one of each.

    Parameters
    ----------
    frame
        What the chart shows; the columns hold text, in the order in which menus list it.
    menus
        What each column is called beside its menu.
    first
        What is chosen at first, where it is not the first value.
    """
    for column, words in menus.items():
        values: Sequence[str] = list(dict.fromkeys(frame[column]))
        if len(values) > 1:
            menu = alt.binding_select(options=values, name=f"{words} ")
            choice = alt.param(name=column, bind=menu, value=first.get(column, values[0]))
            chart = chart.add_params(choice).transform_filter(alt.datum[column] == choice)
    return chart
