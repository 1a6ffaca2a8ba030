"""How charts look: one palette, readable by colour-blind people, units on every axis."""

from typing import Any

import altair as alt

PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F"]
"""Okabe and Ito (2008)."""

WIDTH = 620


def styled(chart: Any, *, fit: bool = True) -> Any:
    """The chart with the house's fonts, colours and no frame; `fit` makes it as wide as the page."""
    if fit:
        chart = chart.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    return (
        chart.configure(background="transparent", font="system-ui, sans-serif")
        .configure_view(stroke=None)
        .configure_range(category=PALETTE)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridOpacity=0.4)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", orient="top")
    )


def dots(frame: Any, *, title: str, log: bool = False) -> Any:
    """A line for each protocol, with a dot of its own colour and shape for each series.

    Parameters
    ----------
    frame
        Tidy: columns `protocol`, `series`, `value`; zeros are left out on a logarithmic axis.
    title
        Of the axis, with the unit.
    """
    shown = frame[frame["value"] > 0] if log else frame
    scale = alt.Scale(type="log") if log else alt.Scale(domain=[0, 1])
    series = list(dict.fromkeys(frame["series"]))
    marks = (
        alt.Chart(shown)
        .mark_point(filled=True, size=130)
        .encode(
            x=alt.X("value:Q", title=title, scale=scale),
            y=alt.Y("protocol:N", title=None, sort=list(dict.fromkeys(frame["protocol"]))),
            color=alt.Color("series:N", title=None, sort=series),
            shape=alt.Shape("series:N", sort=series, legend=None),
            tooltip=["protocol:N", "series:N", alt.Tooltip("value:Q", format=",.4~g")],
        )
    )
    return styled(marks.properties(width="container", height=34 * frame["protocol"].nunique()))
