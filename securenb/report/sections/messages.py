"""Who said what to whom: a drawing of each round."""

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd

from securenb.report.run import Run
from securenb.report.section import Content, Section

STEP, TOP, SIDE, WIDTH = 44, 58, 110, 760
TIP = 8
"""Pixels of an arrowhead."""
UNFOLDED = 3
"""Rounds that are shown at once; more are folded."""
PLURAL = {"node": "nodes", "aggregator": "aggregator", "trustee": "trustees"}


class Messages(Section):
    """A sequence diagram for each round, drawn from its transcript."""

    title = "What each party saw"
    order = 30

    def show(self, runs: Sequence[Run], content: Content) -> None:
        """See `Section.show`."""
        rounds = [(run, protocol) for run in runs for protocol in run.rounds]
        for run, protocol in rounds:
            record = run.rounds[protocol]
            name = protocol if len(runs) == 1 else f"{run.name}: {protocol}"
            if len(rounds) <= UNFOLDED:
                content.heading(name)
            with content.folded(f"{name}: {record['learned']}", fold=len(rounds) > UNFOLDED):
                content.facts({"the aggregator learned": record["learned"], **record["claims"]})
                content.drawing(
                    sequence(record), f"{name}: messages, in the order of their first appearance."
                )
                if record["blamed"]:
                    content.table(pd.DataFrame(record["blamed"]), "Blamed")
                if left := record.get("left"):
                    content.table(pd.DataFrame(left), "Left before the end")
                if record["lost"]:
                    content.table(pd.DataFrame(record["lost"]), "Groups that were not opened")


def sequence(record: dict[str, Any]) -> str:
    """The messages of a round as a sequence diagram, SVG; colours follow the page."""
    roles = list(record["parties"])
    spread = (WIDTH - 2 * SIDE) / max(1, len(roles) - 1)
    at = {role: SIDE + index * spread for index, role in enumerate(roles)}
    height = TOP + STEP * len(record["messages"]) + 20
    spoken = escape("; ".join(_said(message) for message in record["messages"]))
    parts = [f'<svg class="sequence" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{spoken}">']
    for role, count in record["parties"].items():
        label = f"{count:,} {PLURAL[role]}" if count > 1 else role
        parts.append(_text(at[role], 22, label, ' class="who"'))
        parts.append(f'<path class="life" d="M{at[role]:.0f} 32 V{height - 8}"/>')
    for index, message in enumerate(record["messages"]):
        y = TOP + STEP * index + 14
        start, end = at[message["sender"]], at[message["recipient"]]
        middle = (start + end) / 2
        if start == end:
            start, end = start - 30, end + 30
        back = -TIP if end > start else TIP
        parts.append(f'<path class="arrow" d="M{start:.0f} {y} H{end:.0f}"/>')
        # drawn, not a marker: a marker is found by an id, which folding hides and a second drawing repeats
        parts.append(f'<path class="tip" d="M{end:.0f} {y} l{back} -4 v8 z"/>')
        parts.append(_text(middle, y - 6, _label(message)))
    return "".join([*parts, "</svg>"])


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text{more} x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(words)}</text>'


def _label(message: dict[str, Any]) -> str:
    each = message["bytes"] / message["count"]
    times = f" ×{message['count']:,}" if message["count"] > 1 else ""
    return f"{message['message']}{times}, {each:,.0f} B{' each' if times else ''}"


def _said(message: dict[str, Any]) -> str:
    return f"{message['sender']} to {message['recipient']}: {_label(message)}"
