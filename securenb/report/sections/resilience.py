"""How models fare as more nodes turn malicious, by rule, group size and noise."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import pandas as pd

from securenb.report.charts import PALETTE, chosen, legend, styled
from securenb.report.run import Run
from securenb.report.section import Answer, Content, Section

MENUS = {
    "nodes": "nodes",
    "sizes": "sizes",
    "label_skew": "label skew",
    "numeric": "numbers",
    "mechanism": "noise",
    "inputs": "inputs",
    "cap_ratio": "cap on records, in mean sizes",
    "epsilon": "epsilon",
    "group_size": "nodes in a group",
}
"""Settings that are chosen from a menu where a run has several, and what they are called there."""
CURVE = {"dataset", "share", "rule", "mean", "low", "high", "worst_attack", *MENUS}
CELL = {"dataset", "share", "rule", "attack", "balanced_accuracy", *MENUS}
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
"""After eight colours, lines are dashed, then dotted."""
MOST_CELLS = 8_000
"""Of more cells the map shows one share of malicious nodes, so that the page stays small."""
GROUPS = {"1": " over single nodes", "all": " of one sum"}
"""How groups of these sizes are spoken of."""
MOST_SAID = 4
"""Settings that the answer at the top of the page names; the charts show all."""
ROOM_FOR_FIGURES = 10
"""Rules beside each other whose cells are wide enough for a figure."""


class Resilience(Section):
    """Curves under the worst attack, the dial between privacy and robustness, rule against attack."""

    title = "How much poisoning it survives"
    order = 25

    def answers(self, run: Run) -> Iterator[Answer]:
        """See `Section.answers`."""
        summary, results = run.tables.get("summary"), run.tables.get("results")
        if summary is None or not set(summary.columns) >= CURVE or summary["mean"].isna().all():
            return
        frame = readable(summary)
        most = frame[frame["share"] == frame["share"].max()].dropna(subset=["mean"])
        tried = set() if results is None else set(results["attack"]) - {"none"}
        noise = most["epsilon"].map(lambda each: "no noise" if each == "none" else f"epsilon {each}")
        where = most["dataset"] + ", " + noise
        found = [f"{name}: {_best(part)}" for name, part in most.groupby(where, sort=False)]
        more = f"; and {len(found) - MOST_SAID} more settings below" if len(found) > MOST_SAID else ""
        fraction = f"{100 * float(frame['share'].max()):g} %"
        yield Answer(
            "How much poisoning does it survive?",
            f"With {fraction} of the nodes malicious, under the worst of {len(tried)} attacks, the best rule "
            f"keeps this balanced accuracy. {'; '.join(found[:MOST_SAID])}{more}.",
            "that no stronger attack exists: these figures are upper ends, and only a certificate gives a "
            f"lower one. More than {fraction} malicious nodes were not tried.",
        )

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
                "95 % t intervals of the mean from 14 trials on, and the range of fewer. An attack is an "
                "upper end. Dotted is what no attack goes below, where that is known (proven inputs and a "
                "plain sum, staircase sums, votes of models); elsewhere the lower end is open."
            )
            for dataset, part in summary.groupby("dataset"):
                name = f"{dataset}-{index}"
                shown = readable(part)
                if part["group_size"].nunique(dropna=False) > 1:
                    content.figure(
                        f"dial-{name}", dial(shown), f"{dataset}: accuracy against the group size."
                    )
                content.figure(
                    f"curves-{name}", curves(shown), f"{dataset}: accuracy against malicious nodes."
                )
                if results is not None and set(results.columns) >= CELL:
                    cells = readable(results[results["dataset"] == dataset])
                    content.figure(f"map-{name}", heat_map(cells), f"{dataset}: each rule, each attack.")


def _best(part: pd.DataFrame) -> str:
    """The line of a setting that is worth most under its worst attack, with its interval."""
    line = part.iloc[int(part["mean"].to_numpy().argmax())]
    kind = "range of the trials" if line.get("interval") == "range" else "95 %"
    group = GROUPS.get(line["group_size"], f" over groups of {line['group_size']}")
    ends = f"{line['low']:.3f} to {line['high']:.3f}, {kind}"
    known = line.get("certified")
    lower = "its lower end is open" if pd.isna(known) else f"no attack goes below {known:.3f}"
    return f"{line['rule']}{group} {line['mean']:.3f} ({ends}; worst: {line['worst_attack']}; {lower})"


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Settings as text for menus and axes, sorted: group sizes from small to `all`, no noise first."""
    checked = table["inputs"] != "unchecked"
    weight = pd.to_numeric(table["epsilon"], errors="coerce").fillna(float("inf"))
    frame = table.assign(cap_ratio=table["cap_ratio"].where(checked), weight=weight).sort_values(
        ["group_size", "weight", "share", "cap_ratio"], ascending=[True, False, True, True], kind="stable"
    )
    missing = {"group_size": "all", "epsilon": "none", "cap_ratio": "none", "label_skew": "none"}
    words = {
        column: [
            missing.get(column, "–")
            if value != value
            else f"{value:g}"
            if isinstance(value, float)
            else str(value)
            for value in frame[column]
        ]
        for column in MENUS
    }
    return frame.drop(columns="weight").assign(
        **words, malicious_share=[f"{100 * share:g} %" for share in frame["share"]]
    )


def curves(frame: pd.DataFrame) -> Any:
    """Mean and interval against the share of malicious nodes, a line a rule; the legend picks one."""
    rules = list(dict.fromkeys(frame["rule"]))
    picked = alt.selection_point(fields=["rule"], bind="legend")
    colours = [PALETTE[index % len(PALETTE)] for index in range(len(rules))]
    dashes = [DASHES[index // len(PALETTE) % len(DASHES)] for index in range(len(rules))]
    base = alt.Chart(frame).encode(
        x=alt.X(
            "share:Q",
            title="share of malicious nodes",
            axis=alt.Axis(format="%", values=sorted(set(frame["share"]))),
        ),
        color=alt.Color("rule:N", scale=alt.Scale(domain=rules, range=colours), legend=legend(rules)),
    )
    band = base.mark_area().encode(
        y=_score("low"), y2="high:Q", opacity=alt.condition(picked, alt.value(0.18), alt.value(0.0))
    )
    line = base.mark_line(point=alt.OverlayMarkDef(size=45)).encode(
        y=_score("mean"),
        opacity=alt.condition(picked, alt.value(1.0), alt.value(0.15)),
        strokeDash=alt.StrokeDash(
            "rule:N", scale=alt.Scale(domain=rules, range=dashes), legend=legend(rules)
        ),
        tooltip=["rule:N", *_tooltip()],
    )
    layers = band + line.add_params(picked)
    if "certified" in frame and frame["certified"].notna().any():
        layers += base.mark_line(strokeDash=[1, 4], strokeWidth=2).encode(
            y=_score("certified"),
            opacity=alt.condition(picked, alt.value(1.0), alt.value(0.15)),
            tooltip=["rule:N", *_tooltip(), alt.Tooltip("certified:Q", format=".3f")],
        )
    layered = layers.properties(width="container", height=300)
    return styled(chosen(layered, frame, MENUS, {}))


def dial(frame: pd.DataFrame) -> Any:
    """Mean against the size of groups, a line for each share of malicious nodes."""
    best = frame.groupby("rule")["mean"].mean().idxmax()
    shares = list(dict.fromkeys(frame.sort_values("share")["malicious_share"]))
    base = alt.Chart(frame).encode(
        x=alt.X(
            "group_size:O",
            title="nodes in a group",
            sort=list(dict.fromkeys(frame["group_size"])),
            axis=alt.Axis(labelAngle=0),
        ),
        color=alt.Color(
            "malicious_share:O",
            legend=legend(shares, "malicious nodes"),
            sort=shares,
            scale=alt.Scale(range=[PALETTE[index % len(PALETTE)] for index in range(len(shares))]),
        ),
    )
    band = base.mark_area(opacity=0.15).encode(y=_score("low"), y2="high:Q")
    line = base.mark_line(point=alt.OverlayMarkDef(size=45)).encode(y=_score("mean"), tooltip=_tooltip())
    menus = {"rule": "rule", **{column: words for column, words in MENUS.items() if column != "group_size"}}
    epsilons = [epsilon for epsilon in dict.fromkeys(frame["epsilon"]) if epsilon != "none"]
    first = {"rule": str(best), **({"epsilon": epsilons[-1]} if epsilons else {})}
    layered = (band + line).properties(width="container", height=300)
    return styled(chosen(layered, frame, menus, first))


def heat_map(results: pd.DataFrame) -> Any:
    """Mean balanced accuracy of each rule under each attack."""
    by = ["rule", "attack", "share", "malicious_share", *MENUS]
    frame = results.groupby(by, as_index=False, sort=False)["balanced_accuracy"].mean()
    frame = frame[frame["attack"] != "none"].sort_values("share", kind="stable")
    shares = list(dict.fromkeys(frame["malicious_share"]))
    first = {"malicious_share": shares[(len(shares) - 1) // 2]} if shares else {}
    if len(frame) > MOST_CELLS:
        frame = frame[frame["malicious_share"] == first["malicious_share"]]
    menus = {
        column: words
        for column, words in {"malicious_share": "malicious nodes", **MENUS}.items()
        if frame[column].nunique() > 1
    }
    frame = frame[["rule", "attack", "balanced_accuracy", *menus]].round({"balanced_accuracy": 4})
    rules = list(dict.fromkeys(results["rule"]))
    base = alt.Chart(frame).encode(
        x=alt.X("rule:N", title=None, sort=rules, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("attack:N", title=None, axis=alt.Axis(labelLimit=200)),
        tooltip=["rule:N", "attack:N", alt.Tooltip("balanced_accuracy:Q", format=".3f")],
    )
    scheme = alt.Scale(scheme="cividis", domain=[0, 1])
    cells = base.mark_rect().encode(
        color=alt.Color("balanced_accuracy:Q", title="balanced accuracy", scale=scheme)
    )
    figures = base.mark_text(fontSize=11).encode(
        text=alt.Text("balanced_accuracy:Q", format=".2f"),
        color=alt.condition(alt.datum.balanced_accuracy < 0.55, alt.value("white"), alt.value("black")),
    )
    chart = cells + figures if len(rules) <= ROOM_FOR_FIGURES else cells
    sized = chart.properties(width="container", height=22 * frame["attack"].nunique())
    return styled(chosen(sized, frame, menus, first))


def _tooltip() -> list[Any]:
    return [
        alt.Tooltip("malicious_share:N", title="malicious nodes"),
        alt.Tooltip("group_size:N", title="nodes in a group"),
        "epsilon:N",
        alt.Tooltip("worst_attack:N", title="worst attack"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high")),
    ]


def _score(column: str) -> alt.Y:
    return alt.Y(f"{column}:Q", title="balanced accuracy", scale=alt.Scale(domain=[0, 1]))
