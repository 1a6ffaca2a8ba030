"""What the choices of a sweep of rounds change."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import INK, legend, styled
from securenb.report.run import Run
from securenb.report.section import Answer, Content, Section

SCORE = "balanced_accuracy"
MOST = 60
"""Combinations that one chart shows; more are in the table."""


class Sweep(Section):
    """A line for each combination of choices, a dot for each round."""

    title = "What the choices change"
    order = 22

    def answers(self, run: Run) -> Iterator[Answer]:
        """See `Section.answers`."""
        if (varied := _varied(run)) is None:
            return
        means = labelled(run.tables["results"], varied).groupby("combination", sort=False)[SCORE]
        mean, count = means.mean().dropna(), means.count()
        if mean.empty:
            return
        best, worst = str(mean.idxmax()), str(mean.idxmin())
        yield Answer(
            f"What do {', '.join(name.replace('_', ' ') for name in varied)} change?",
            f"Mean balanced accuracy goes from {mean[worst]:.3f} ({worst}) to {mean[best]:.3f} ({best}) over "
            f"{len(mean)} combinations of {int(count.min())} to {int(count.max())} rounds each.",
            "whether differences between close combinations would hold with other seeds.",
        )

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        for index, run in enumerate(runs):
            if (varied := _varied(run)) is None:
                continue
            if len(runs) > 1:
                content.heading(run.name)
            frame = labelled(run.tables["results"], varied)
            first = list(dict.fromkeys(frame["combination"]))[:MOST]
            cut = f", the first {MOST} combinations" if frame["combination"].nunique() > MOST else ""
            content.figure(
                f"sweep-{index}",
                scores(frame[frame["combination"].isin(first)], varied[0]),
                f"Balanced accuracy of each round (dots) and mean (bars), by {', '.join(varied)}{cut}.",
            )


def _varied(run: Run) -> list[str] | None:
    """The choices of which a sweep of rounds has several; nothing where the run is no such sweep."""
    choices, results = run.scenario.get("choices"), run.tables.get("results")
    if not isinstance(choices, dict) or results is None or SCORE not in results:
        return None
    varied = [name for name, value in choices.items() if isinstance(value, list) and len(value) > 1]
    return varied or None


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
