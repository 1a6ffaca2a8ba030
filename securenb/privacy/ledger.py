"""Every release, charged to the nodes whose records are in it, for each of those who see it."""

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import pandas as pd

from securenb._html import html_table
from securenb.privacy.cost import Pure, epsilon_at, together
from securenb.privacy.event import Event
from securenb.privacy.mechanism import Charge
from securenb.privacy.sensitivity import ADJACENCIES, Adjacency

Seen = Literal["row", "vector"]
"""An opened row, which is public; or one node's vector, which a protocol without secrecy shows to the
aggregator or to other nodes."""


@dataclass(frozen=True)
class Release:
    """One opened row.

    Attributes
    ----------
    what
        For people: which row of which session.
    nodes
        Whose records are in it.
    charge
        Its cost.
    mechanism
        What added the noise, with its parameters.
    among
        Shares that make a dose, that is, the honest survivors that the noise counts on.
    seen
        What kind of thing it is, which says who sees it.
    event
        What composes with other releases; without it only what the charge says does.
    """

    what: str
    nodes: tuple[str, ...]
    charge: Charge
    mechanism: str
    among: int
    seen: Seen = "row"
    event: Event | None = None

    def kept(self) -> Event:
        """The event; made of the charge where there is none.

        Raises
        ------
        ValueError
            If it is not private, or only up to a delta and nothing says how it composes.
        """
        if self.event is not None:
            return self.event
        added, replaced = self.charge.add_remove, self.charge.replace_one
        if added is None or replaced is None:
            raise ValueError("a run without noise costs more than any budget")
        if self.charge.delta:
            raise ValueError(
                f"{self.mechanism} promises epsilon up to delta {self.charge.delta:g} and does not say "
                "how that composes: no ledger can charge it"
            )
        return Event(self.mechanism, "", self.among, self.among, 1, Pure(added), Pure(replaced))


class Ledger:
    """Append-only record of releases.

    A record lives at one node, so releases of disjoint nodes compose in parallel and those of the same
    node add up. Replacing a record is removing one and adding another: it costs at most twice as much.
    """

    def __init__(self) -> None:
        self._releases: list[Release] = []

    @property
    def releases(self) -> tuple[Release, ...]:
        """All releases, oldest first."""
        return tuple(self._releases)

    def record(self, release: Release) -> None:
        """Charge a release."""
        self._releases.append(release)

    def epsilon(self, adjacency: Adjacency, seen: Seen = "row") -> Fraction | None:
        """What the releases cost a record at the node that paid most; `None` if it is not private.

        Vectors are charged apart from rows: with all vectors of a row, the row is nothing new.
        """
        spent: dict[str, Fraction] = defaultdict(Fraction)
        for release in self._seen(seen):
            epsilon = release.charge.epsilon(adjacency)
            if epsilon is None:
                return None
            for node in release.nodes:
                spent[node] += epsilon
        return max(spent.values(), default=Fraction(0))

    def composed(self, adjacency: Adjacency, delta: float, seen: Seen = "row") -> Fraction | None:
        """What these releases cost at `delta`, had they been fixed in advance; `None` if nothing bounds it.

        A `ValueError` as of `Release.kept`.
        """
        costs = [
            epsilon_at(together([event.cost(adjacency) for event in path]), delta)
            for path in self.paths(seen)
        ]
        known = [cost for cost in costs if cost is not None]
        return max(known, default=Fraction(0)) if len(known) == len(costs) else None

    def delta(self, seen: Seen = "row") -> float:
        """The sum of deltas at the node that paid most."""
        spent: dict[str, float] = defaultdict(float)
        for release in self._seen(seen):
            for node in release.nodes:
                spent[node] += release.charge.delta
        return max(spent.values(), default=0.0)

    def paths(self, seen: Seen | None = None) -> tuple[tuple[Event, ...], ...]:
        """What a record may have met, node by node and view by view: releases in sequence; each once.

        Parameters
        ----------
        seen
            Only this view; by default both, each for itself.

        Raises
        ------
        ValueError
            As `Release.kept`.
        """
        met: dict[tuple[Seen, str], tuple[Event, ...]] = defaultdict(tuple)
        for release in self._releases if seen is None else self._seen(seen):
            event = release.kept()
            for node in release.nodes:
                met[release.seen, node] += (event,)
        return tuple(dict.fromkeys(met.values()))

    def report(self) -> str:
        """A line for each kind of release, and the totals under both adjacencies for each who sees them."""
        kinds = self._kinds()
        lines = [
            f"{count} opened row{'s' if count > 1 else ''}, {mechanism}, a dose in any {among} "
            f"share{'s' if among > 1 else ''}: epsilon {shown(charge.add_remove)} each"
            for (seen, mechanism, among, charge), count in kinds.items()
            if seen == "row"
        ]
        lines += [self.total(kind) for kind in ADJACENCIES]
        if self._seen("vector"):
            lines.append("every node's vector is read, and holds one share of a dose; of it:")
            lines += [self.total(kind, "vector") for kind in ADJACENCIES]
        return "\n".join(lines)

    def total(self, adjacency: Adjacency, seen: Seen = "row") -> str:
        """One line: epsilon, and delta where it is not zero."""
        delta = self.delta(seen)
        epsilon = f"epsilon {shown(self.epsilon(adjacency, seen)):<10}"
        return f"{epsilon}{f' at delta {delta:g}' if delta else ''} a record, {adjacency}"

    def _kinds(self) -> dict[tuple[Seen, str, int, Charge], int]:
        """How many releases of each kind."""
        kinds: dict[tuple[Seen, str, int, Charge], int] = defaultdict(int)
        for release in self._releases:
            kinds[release.seen, release.mechanism, release.among, release.charge] += 1
        return kinds

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each release: who it is charged to, what it costs a record, what was added."""
        return pd.DataFrame(
            [
                {
                    "seen": release.seen,
                    "nodes": len(release.nodes),
                    "mechanism": release.mechanism,
                    "among": release.among,
                    **{f"epsilon_{kind}": _number(release.charge.epsilon(kind)) for kind in ADJACENCIES},
                    "delta": release.charge.delta,
                }
                for release in self._releases
            ]
        )

    def __repr__(self) -> str:
        return f"<Ledger: {len(self._releases)} releases, {' '.join(self.total('add-remove').split())}>"

    def _repr_html_(self) -> str:
        columns = [
            "released",
            "how many",
            "noise",
            "shares to a dose",
            *(f"epsilon, {k}" for k in ADJACENCIES),
        ]
        lines = [
            [
                "opened rows" if seen == "row" else "nodes' vectors",
                f"{count:,}",
                mechanism,
                f"{among:,}",
                *(shown(charge.epsilon(kind)) for kind in ADJACENCIES),
                f"{charge.delta:g}",
            ]
            for (seen, mechanism, among, charge), count in self._kinds().items()
        ]
        read: tuple[Seen, ...] = ("row", "vector")
        for seen in read:
            if self._seen(seen):
                who = "who reads rows" if seen == "row" else "who reads vectors"
                spent = [shown(self.epsilon(kind, seen)) for kind in ADJACENCIES]
                lines.append([f"in all, to {who}", "", "", "", *spent, f"{self.delta(seen):g}"])
        return html_table("Ledger: what a record lost, at most", [*columns, "delta"], lines)

    def _seen(self, seen: Seen) -> list[Release]:
        return [release for release in self._releases if release.seen == seen]


def _number(epsilon: Fraction | None) -> float:
    return math.inf if epsilon is None else float(epsilon)


def shown(epsilon: Fraction | None) -> str:
    """An epsilon for people: exact decimals where they are short, `not private` where there is none."""
    return "not private" if epsilon is None else f"{float(epsilon):.6g}"
