"""What the choices of a sweep of rounds change."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import INK, legend, styled
from securenb.report.run import Run
from securenb.report.section import Content, Section

SCORE = "balanced_accuracy"
MOST = 60
"""Combinations that one chart shows; more are in the table."""


class Sweep(Section):
    """A line for each combination of choices, a dot for each round."""

    title = "What the choices change"
    order = 22

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            choices, results = run.scenario.get("choices"), run.tables.get("results")
            if not isinstance(choices, dict) or results is None or SCORE not in results:
                continue
            varied = [name for name, value in choices.items() if isinstance(value, list) and len(value) > 1]
            if not varied:
                continue
            if len(runs) > 1:
                content.heading(run.name)
            frame = labelled(results, varied)
            first = list(dict.fromkeys(frame["combination"]))[:MOST]
            cut = f", the first {MOST} combinations" if frame["combination"].nunique() > MOST else ""
            content.figure(
                f"sweep-{index}",
                scores(frame[frame["combination"].isin(first)], varied[0]),
                f"Balanced accuracy of each round (dots) and mean (bars), by {', '.join(varied)}{cut}.",
            )


def labelled(results: pd.DataFrame, varied: Sequence[str]) -> pd.DataFrame:
    """Scores with the choices that vary, and all of these in one word, `combination`."""
    frame = results[[*varied, SCORE]].astype(dict.fromkeys(varied, str))
    words = [", ".join(line) for line in frame[varied].itertuples(index=False)]
    return frame.assign(combination=words)


def scores(frame: pd.DataFrame, colour: str) -> Any:
    """A line for each combination, coloured by one choice."""
    values = list(dict.fromkeys(frame[colour]))
    base = alt.Chart(frame).encode(
        y=alt.Y(
            "combination:N",
            title=None,
            sort=list(dict.fromkeys(frame["combination"])),
            axis=alt.Axis(labelLimit=200),
        ),
    )
    dots = base.mark_point(filled=True, size=80).encode(
        x=alt.X(f"{SCORE}:Q", title="balanced accuracy on the test records", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(f"{colour}:N", sort=values, legend=legend(values, colour.replace("_", " "))),
        tooltip=["combination:N", alt.Tooltip(f"{SCORE}:Q", format=".4f")],
    )
    means = base.mark_tick(thickness=2, size=16, color=INK).encode(x=f"mean({SCORE}):Q")
    return styled((dots + means).properties(width="container", height=24 * frame["combination"].nunique()))
