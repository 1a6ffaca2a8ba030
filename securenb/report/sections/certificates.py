"""How many malicious nodes predictions provably withstand."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import legend, styled
from securenb.report.run import Run
from securenb.report.section import Answer, Content, Section

SCORES = {
    "certified_accuracy": "accuracy",
    "certified_balanced_accuracy": "balanced accuracy",
}
COLLECTIVE = "collective_balanced_accuracy"


class Certificates(Section):
    """The curves of `securenb certify`."""

    title = "What is certain"
    order = 28

    def answers(self, run: Run) -> Iterator[Answer]:
        """See `Section.answers`."""
        table = run.tables.get("certificates")
        if table is None or not set(table.columns) >= {"malicious", "records", *SCORES}:
            return
        score = table.set_index("malicious")["certified_balanced_accuracy"]
        if COLLECTIVE in table:
            score = table.set_index("malicious")[COLLECTIVE].fillna(score)
        words = [f"{value:.3f} with {count} malicious" for count, value in score.items() if count]
        none = f"{score[0]:.3f} without, " if 0 in score.index else ""
        yield Answer(
            "What accuracy is certain, whatever malicious nodes send?",
            f"Balanced accuracy of at least {none}{', '.join(words)}.",
            "how much above this floor the truth lies; an attack gives the other end. It holds for these "
            "test records and this cap on a node's records.",
        )

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        curves = [
            _long(table, "" if len(runs) == 1 else f"{run.name}: ")
            for run in runs
            if (table := run.tables.get("certificates")) is not None
            and set(table.columns) >= {"malicious", "records", *SCORES}
        ]
        if not curves:
            return
        content.text(
            "The share of points that is predicted right, and stays so whatever the malicious nodes add "
            "within the cap on their records: no attack, known or not, can do more. Collective: one "
            "placement of their records must serve all points; otherwise it may be another one for each."
        )
        content.figure(
            "certificates",
            certified(pd.concat(curves, ignore_index=True)),
            "Certified accuracy against the number of malicious nodes.",
        )


def _long(table: pd.DataFrame, prefix: str) -> pd.DataFrame:
    """Tidy: malicious, records, series, value."""
    scores = dict(SCORES)
    if COLLECTIVE in table and table[COLLECTIVE].notna().any():
        scores[COLLECTIVE] = "balanced accuracy, collective"
    renamed = table.rename(columns={name: prefix + words for name, words in scores.items()})
    long = renamed.melt(["malicious", "records"], [prefix + words for words in scores.values()], "series")
    return long.dropna(subset=["value"])


def certified(frame: pd.DataFrame) -> Any:
    """What is certified against malicious nodes, a line a series."""
    series = list(dict.fromkeys(frame["series"]))
    base = alt.Chart(frame).encode(
        x=alt.X("malicious:Q", title="malicious nodes", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("value:Q", title="certified", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("series:N", sort=series, legend=legend(series)),
    )
    line = base.mark_line(interpolate="step-after")
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        shape=alt.Shape("series:N", sort=series, legend=legend(series)),
        tooltip=[
            "series:N",
            alt.Tooltip("malicious:Q", title="malicious nodes"),
            alt.Tooltip("records:Q", title="records they add", format=","),
            alt.Tooltip("value:Q", title="certified", format=".4f"),
        ],
    )
    return styled((line + points).properties(width="container", height=280))
