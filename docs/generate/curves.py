"""Curves of the pages of methods, drawn from what `measure.py` kept."""

from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import PALETTE

KEPT = Path(__file__).parent / "kept"
WIDTH, HEIGHT = 480, 220
SETTING = "Phishing, 20 nodes, seed 7, 30 trials: mean and Student's t interval (95 %)"
COMMAND = "`python docs/generate/measure.py {name}`"


def kept(name: str) -> pd.DataFrame:
    """What was measured."""
    return pd.read_csv(KEPT / f"{name}.csv", dtype={"epsilon": str}, keep_default_na=False)


def line(frame: pd.DataFrame, x: str, y: str, series: str, titles: dict[str, str], *, words: bool) -> Any:
    """Means with their intervals over `x`, a line for each of `series`."""
    scale = alt.Scale(zero=False)
    axis = alt.X(x, title=titles[x], sort=None) if words else alt.X(x, title=titles[x])
    colour = alt.Color(series, title=titles[series], scale=alt.Scale(range=PALETTE), sort=None)
    base = alt.Chart(frame).encode(axis, color=colour)
    points = base.mark_line(point=True).encode(alt.Y(y, title=titles["mean"], scale=scale))
    ends = base.mark_rule().encode(alt.Y("low:Q", title=titles["mean"], scale=scale), y2="high:Q")
    chart = (ends + points).properties(width=WIDTH, height=HEIGHT)
    return chart.configure(background="white", font="Liberation Sans, Arial, sans-serif").configure_view(
        stroke=None
    )


def save(chart: Any, path: Path) -> None:
    """Write a chart as SVG."""
    import vl_convert

    path.write_text(vl_convert.vegalite_to_svg(chart.to_dict()), encoding="utf-8")


def chart_of(kind: str, name: str) -> Any:
    """The chart of a method; `None` where there is none."""
    if kind == "rules":
        frame = kept("rules")
        frame = frame[frame.rule.map(lambda spec: str(spec).partition("(")[0]) == name]
        titles = {"share": "share of malicious nodes", "mean": "balanced accuracy", "attack": "poison"}
        return _or_none(frame, "share", "attack:N", titles, "attack")
    if kind == "poisons":
        frame = kept("poisons")
        frame = frame[frame.attack == name]
        titles = {"share": "share of malicious nodes", "mean": "balanced accuracy", "rule": "rule"}
        return _or_none(frame, "share", "rule:N", titles, "rule")
    if kind == "mechanisms":
        frame = kept("mechanisms")
        if name not in set(frame.mechanism):
            return None
        titles = {"epsilon": "epsilon of a row", "mean": "balanced accuracy", "mechanism": "mechanism"}
        frame = frame.assign(mechanism=frame.mechanism.where(frame.mechanism == name, "the others"))
        titles["mechanism"] = ""
        return _or_none(frame[frame.mechanism == name], "epsilon", "mechanism:N", titles, "mechanism")
    if kind == "inferences":
        frame = kept("inferences")
        frame = frame[frame.inference == name]
        titles = {"epsilon": "epsilon of a row", "mean": "share of right conclusions", "protocol": "protocol"}
        return _or_none(frame, "epsilon", "protocol:N", titles, "protocol")
    return None


def _or_none(frame: pd.DataFrame, x: str, series: str, titles: dict[str, str], shown: str) -> Any:
    if frame.empty:
        return None
    words = x == "epsilon"
    return line(frame, x, "mean:Q", series, {**titles, series: titles[shown]}, words=words)


def caption(kind: str) -> str:
    """What a chart shows, and the command that measured it."""
    more = {
        "rules": "One row for each node; nothing is noised. Poisons that send what they "
        "like, except where the rule relies on a proven cap: there they keep within it.",
        "poisons": "One row for each node; nothing is noised.",
        "mechanisms": "One sum that carries one whole dose (`--curator`); delta 10⁻⁵ where there is one.",
        "inferences": "20 records a node at most. `plain` shows every node's vector, `masking` one sum; "
        "at `none` nothing is noised.",
    }
    return f"*{SETTING}. {more[kind]}* Measured by {COMMAND.format(name=kind)}."
