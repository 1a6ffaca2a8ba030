"""Every released row, charged to the nodes whose records are in it."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from securenb.mechanism import Charge

Adjacency = Literal["add-remove", "replace-one"]
"""Neighbouring data sets: one record more or less, or one record changed."""

ADJACENCIES: tuple[Adjacency, ...] = ("add-remove", "replace-one")


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
        Its cost under add/remove of a record.
    mechanism
        What added the noise, with its parameters.
    among
        Shares that make a dose, that is, the honest survivors that the noise counts on.
    """

    what: str
    nodes: tuple[str, ...]
    charge: Charge
    mechanism: str
    among: int


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

    def epsilon(self, adjacency: Adjacency) -> Fraction | None:
        """What the releases cost a record at the node that paid most; `None` if it is not private."""
        spent: dict[str, Fraction] = defaultdict(Fraction)
        for release in self._releases:
            if release.charge.epsilon is None:
                return None
            for node in release.nodes:
                spent[node] += release.charge.epsilon
        total = max(spent.values(), default=Fraction(0))
        return total if adjacency == "add-remove" else 2 * total

    def delta(self) -> float:
        """The sum of deltas at the node that paid most."""
        spent: dict[str, float] = defaultdict(float)
        for release in self._releases:
            for node in release.nodes:
                spent[node] += release.charge.delta
        return max(spent.values(), default=0.0)

    def report(self) -> str:
        """A line for each kind of release, then the totals under both adjacencies."""
        kinds: dict[tuple[str, int, Charge], int] = defaultdict(int)
        for release in self._releases:
            kinds[release.mechanism, release.among, release.charge] += 1
        lines = [
            f"{count} opened row{'s' if count > 1 else ''}, {mechanism}, a dose in any {among} "
            f"share{'s' if among > 1 else ''}: epsilon {shown(charge.epsilon)} each"
            for (mechanism, among, charge), count in kinds.items()
        ]
        lines += [f"epsilon {shown(self.epsilon(kind)):<10} a record, {kind}" for kind in ADJACENCIES]
        return "\n".join(lines)


def shown(epsilon: Fraction | None) -> str:
    """An epsilon for people: exact decimals where they are short, `not private` where there is none."""
    return "not private" if epsilon is None else f"{float(epsilon):.6g}"
