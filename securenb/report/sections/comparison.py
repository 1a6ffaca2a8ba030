"""Several runs of the same kind in the same charts."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import chosen, dots, legend, styled
from securenb.report.run import Run
from securenb.report.section import Content, Section
from securenb.report.sections.resilience import CURVE, MENUS, readable

SCORES = {"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy"}


class Comparison(Section):
    """Accuracy of every round, and resilience curves with a line a run."""

    title = "The runs beside each other"
    order = 15

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        rounds = [_rounds(run) for run in runs]
        if sum(part is not None for part in rounds) > 1:
            scores = pd.concat([part for part in rounds if part is not None], ignore_index=True)
            tidy = scores.rename(columns=SCORES).melt("protocol", var_name="series", value_name="value")
            content.figure(
                "rounds", dots(tidy, title="on the test records"), "Accuracy of the rounds of each run."
            )
        summaries = [
            readable(summary).assign(run=run.name)
            for run in runs
            if (summary := run.tables.get("summary")) is not None and set(summary.columns) >= CURVE
        ]
        if len(summaries) > 1:
            content.figure(
                "curves",
                curves(pd.concat(summaries, ignore_index=True)),
                "Accuracy against malicious nodes, under the worst attack of each run.",
            )


def _rounds(run: Run) -> pd.DataFrame | None:
    """Scores of a run that is one round, or one under several protocols; `protocol` names the run too."""
    results = run.tables.get("results")
    if not run.rounds or results is None or not set(results.columns) >= set(SCORES):
        return None
    names = results["protocol"] if "protocol" in results else pd.Series(list(run.rounds))
    return results[list(SCORES)].assign(protocol=[f"{run.name}: {name}" for name in names]).dropna()


def curves(frame: pd.DataFrame) -> Any:
    """Mean and interval against the share of malicious nodes, a line a run."""
    score = alt.Scale(domain=[0, 1])
    base = alt.Chart(frame).encode(
        x=alt.X(
            "share:Q",
            title="share of malicious nodes",
            axis=alt.Axis(format="%", values=sorted(set(frame["share"]))),
        ),
        color=alt.Color("run:N", legend=legend(list(dict.fromkeys(frame["run"])))),
    )
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title="balanced accuracy", scale=score), y2="high:Q"
    )
    line = base.mark_line(point=alt.OverlayMarkDef(size=45)).encode(
        y=alt.Y("mean:Q", scale=score),
        tooltip=["run:N", "rule:N", "worst_attack:N", alt.Tooltip("mean:Q", format=".3f")],
    )
    layered = (band + line).properties(width="container", height=300)
    return styled(chosen(layered, frame, {"dataset": "data set", "rule": "rule", **MENUS}, {}))
