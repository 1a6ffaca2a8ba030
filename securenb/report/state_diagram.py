"""States and the steps between them, drawn as SVG: one diagram a role, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from protocols.engines.conversation import EDGE

Step = tuple[str, str, str]
"""State, why it is left (may be empty), next state; `EDGE` before the first, after the last."""

_START, _END = "start", "end"
ROW, BOX, TOP, GAP = 78, 30, 62, 34
LETTER = 7.1
"""Pixels a letter takes, generously, at 13 pixels."""
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1b1f24;text-anchor:middle}"
    ".who{font-weight:600;font-size:15px}.on{font-size:12px;fill:#0b5394;"
    "paint-order:stroke;stroke:#fff;stroke-width:4px}.late{fill:#a34700}"
    "rect{fill:#eaf2fb;stroke:#0072b2}path{fill:none;stroke:#57606a}"
)


@dataclass(frozen=True)
class _Place:
    """Where a state stands: its lane and row, and the middle of its box."""

    lane: int
    row: int
    x: float
    y: float
    half: float


def drawing(roles: Mapping[str, Sequence[Step]]) -> str:
    """One diagram a role, from top to bottom: a dot, the states, a ringed dot where the party has finished.

    Parameters
    ----------
    roles
        The steps of each role, which lead from `EDGE` to `EDGE`.
    """
    parts: list[str] = []
    left, height = float(GAP), 0.0
    for role, steps in roles.items():
        drawn, right, bottom = _diagram(role, steps, left)
        parts += drawn
        left, height = right + GAP, max(height, bottom)
    size = f'width="{left:.0f}" height="{height + 24:.0f}" viewBox="0 0 {left:.0f} {height + 24:.0f}"'
    label = escape(f"States of {', '.join(roles)}")
    tip = (
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#57606a;stroke:none"/></marker>'
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">',
        f"<style>{STYLE}</style><defs>{tip}</defs>",
        '<path d="M0 0H100000V100000H0z" style="fill:#fff;stroke:none"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _diagram(role: str, steps: Sequence[Step], left: float) -> tuple[list[str], float, float]:
    """The pieces of one role's diagram, its right edge and its bottom."""
    edges = _merged(steps)
    places = _placed(edges, left)
    beside = max((_wide(label) for (at, to), label in edges.items() if at == to), default=0.0)
    right = max(place.x + place.half for place in places.values()) + (beside + 30 if beside else 0)
    right = max(right, left + 1.2 * LETTER * len(role))
    parts = [_text((left + right) / 2, 28, role, "who")]
    for (at, to), label in edges.items():
        parts += _arrow(places, at, to, label)
    for state, place in places.items():
        if state in (_START, _END):
            parts.append(f'<circle cx="{place.x:.0f}" cy="{place.y:.0f}" r="6" style="fill:#57606a"/>')
        else:
            parts.append(
                f'<rect x="{place.x - place.half:.0f}" y="{place.y - BOX / 2:.0f}" '
                f'width="{2 * place.half:.0f}" height="{BOX}" rx="6"/>'
            )
            parts.append(_text(place.x, place.y + 5, state))
        if state == _END:
            ring = "fill:none;stroke:#57606a"
            parts.append(f'<circle cx="{place.x:.0f}" cy="{place.y:.0f}" r="10" style="{ring}"/>')
    return parts, right, max(place.y for place in places.values())


def _merged(steps: Sequence[Step]) -> dict[tuple[str, str], list[str]]:
    """Every pair of states with a step between them, and what makes a party take it."""
    edges: dict[tuple[str, str], list[str]] = {}
    for state, heard, following in steps:
        pair = (_START if state == EDGE else state, _END if following == EDGE else following)
        edges.setdefault(pair, []).append(heard)
    return edges


def _placed(edges: Mapping[tuple[str, str], list[str]], left: float) -> dict[str, _Place]:
    """Rows by the longest way from the start, lanes for those that share a row."""
    states = list(dict.fromkeys([_START, *(state for pair in edges for state in pair)]))
    row = dict.fromkeys(states, 0)
    for _ in states:
        for at, to in edges:
            if at != to:
                row[to] = max(row[to], row[at] + 1)
    row[_END] = max([row[_END], *(1 + row[state] for state in states if state != _END)])
    lane: dict[str, int] = {}
    for state in states:
        lane[state] = sum(row[other] == row[state] for other in lane)
    half = {state: 12 if state in (_START, _END) else _wide([state]) / 2 + 12 for state in states}
    wide = [
        max(half[state] for state in states if lane[state] == index)
        for index in range(1 + max(lane.values()))
    ]
    arcs = any(row[to] - row[at] > 1 and lane[at] == lane[to] for at, to in edges)
    x, middles = left + (64 if arcs else 0), []
    for width in wide:
        middles.append(x + width)
        x += 2 * width + GAP
    return {
        state: _Place(lane[state], row[state], middles[lane[state]], TOP + ROW * row[state], half[state])
        for state in states
    }


def _arrow(places: Mapping[str, _Place], at: str, to: str, label: list[str]) -> list[str]:
    """A line from one state to another, around those between them, and what it says."""
    a, b = places[at], places[to]
    if at == to:
        x = a.x + a.half
        path = f"M{x:.0f} {a.y - 8:.0f}c26 -14 26 30 0 16"
        return [_path(path), *_label(x + 26 + _wide(label) / 2, a.y, label)]
    top = a.y + (6 if at == _START else BOX / 2)
    bottom = b.y - (11 if to == _END else BOX / 2 + 1)
    if a.lane == b.lane and b.row - a.row > 1:
        x = a.x - max(a.half, b.half)
        start, end = a.x - (6 if at == _START else a.half), b.x - (11 if to == _END else b.half)
        out = min(place.x - place.half for place in places.values() if place.lane == a.lane) - 42
        path = f"M{start:.0f} {a.y:.0f}C{out:.0f} {a.y:.0f} {out:.0f} {b.y:.0f} {end:.0f} {b.y:.0f}"
        return [_path(path), *_label(out + 0.25 * (x - out), (a.y + b.y) / 2, label)]
    middle = (top + bottom) / 2
    path = f"M{a.x:.0f} {top:.0f}C{a.x:.0f} {middle:.0f} {b.x:.0f} {middle:.0f} {b.x:.0f} {bottom:.0f}"
    return [_path(path), *_label((a.x + b.x) / 2, middle, label)]


def _label(x: float, y: float, label: list[str]) -> list[str]:
    """One line each, around a height."""
    words = [heard or "at once" for heard in label if heard or len(label) > 1]
    start = y + 4 - 7 * (len(words) - 1)
    return [
        _text(x, start + 14 * index, heard, "on late" if heard == "deadline" else "on")
        for index, heard in enumerate(words)
    ]


def _wide(label: Sequence[str]) -> float:
    return LETTER * max(map(len, label))


def _path(path: str) -> str:
    return f'<path d="{path}" marker-end="url(#tip)"/>'


def _text(x: float, y: float, words: str, kind: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    return f'<text{kind} x="{x:.0f}" y="{y:.0f}">{escape(words)}</text>'
