"""How models fare as more nodes turn malicious, by rule, group size and noise."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import styled
from securenb.report.run import Run
from securenb.report.section import Content, Section

CURVE = {"share", "rule", "mean", "low", "high", "group_size", "epsilon", "worst_attack"}
CELL = {"share", "rule", "attack", "balanced_accuracy"}
WIDTH = 250


class Resilience(Section):
    """Curves under the worst attack, the dial between privacy and robustness, rule against attack."""

    title = "How much poisoning it survives"
    order = 35

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            summary, results = run.tables.get("summary"), run.tables.get("results")
            if summary is None or not set(summary.columns) >= CURVE:
                continue
            if len(runs) > 1:
                content.heading(run.name)
            content.text(
                "Balanced accuracy on the test records under the worst attack that is no backdoor; bands are "
                "bootstrap intervals of the mean over trials."
            )
            for dataset, part in summary.groupby("dataset"):
                name = f"{dataset}-{index}"
                content.figure(
                    f"curves-{name}", curves(part), f"{dataset}: accuracy against malicious nodes."
                )
                if part["group_size"].nunique() > 1:
                    content.figure(f"dial-{name}", dial(part), f"{dataset}: accuracy against the group size.")
                if results is not None and set(results.columns) >= CELL:
                    cells = results[results["dataset"] == dataset]
                    caption = (
                        f"{dataset}: each rule against each attack, at the largest share of malicious nodes."
                    )
                    content.figure(f"map-{name}", heat_map(cells), caption)


def curves(summary: pd.DataFrame) -> Any:
    """Mean and interval against the share of malicious nodes, a line a rule, a panel a setting."""
    frame = summary.astype({"group_size": str, "epsilon": str})
    base = alt.Chart(frame).encode(x=_share(), color=alt.Color("rule:N", title=None))
    band = base.mark_area(opacity=0.18).encode(y=_score("low"), y2="high:Q")
    line = base.mark_line(point=True).encode(
        y=_score("mean"),
        strokeDash=alt.StrokeDash("rule:N", legend=None),
        tooltip=[
            "rule:N",
            "worst_attack:N",
            "share:Q",
            alt.Tooltip("mean:Q", format=".3f"),
            "group_size:N",
            "epsilon:N",
        ],
    )
    return _panels((band + line), frame, "group_size", "groups of")


def dial(summary: pd.DataFrame) -> Any:
    """Mean against the size of groups, a line for each share of malicious nodes, a panel a rule."""
    sizes = sorted(
        summary["group_size"].astype(str).unique(), key=lambda size: (not size.isdigit(), len(size), size)
    )
    frame = summary.astype({"group_size": str, "epsilon": str, "share": str})
    chart = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X("group_size:O", title="nodes in a group", sort=sizes),
            y=_score("mean"),
            color=alt.Color("share:O", title="malicious", scale=alt.Scale(scheme="viridis")),
            tooltip=[
                "rule:N",
                "worst_attack:N",
                "share:O",
                "group_size:O",
                alt.Tooltip("mean:Q", format=".3f"),
            ],
        )
    )
    return _panels(chart, frame, "rule", "")


def heat_map(results: pd.DataFrame) -> Any:
    """Mean balanced accuracy of each rule under each attack."""
    worst = results[results["share"] == results["share"].max()]
    frame = worst.groupby(["rule", "attack"], as_index=False)["balanced_accuracy"].mean()
    base = alt.Chart(frame).encode(
        x=alt.X("attack:N", title=None, axis=alt.Axis(labelAngle=-50)), y=alt.Y("rule:N", title=None)
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "balanced_accuracy:Q", title="balanced accuracy", scale=alt.Scale(scheme="viridis", domain=[0, 1])
        ),
        tooltip=["rule:N", "attack:N", alt.Tooltip("balanced_accuracy:Q", format=".3f")],
    )
    return styled(cells.properties(width="container", height=24 * frame["rule"].nunique()))


def _share() -> alt.X:
    return alt.X("share:Q", title="share of malicious nodes", axis=alt.Axis(format="%"))


def _score(column: str) -> alt.Y:
    return alt.Y(f"{column}:Q", title="balanced accuracy", scale=alt.Scale(domain=[0, 1]))


def _panels(chart: Any, frame: pd.DataFrame, column: str, words: str) -> Any:
    """One panel for each value of `column` and each epsilon, two in a row."""
    panels = []
    for (value, epsilon), _ in frame.groupby([column, "epsilon"], sort=False):
        noise = "no noise" if epsilon == "none" else f"epsilon {epsilon}"
        here = (alt.datum[column] == value) & (alt.datum.epsilon == epsilon)
        title = f"{words} {value}, {noise}".strip()
        panels.append(chart.transform_filter(here).properties(width=WIDTH, height=180, title=title))
    return styled(alt.concat(*panels, columns=2), fit=False)
