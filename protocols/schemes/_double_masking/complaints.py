"""Whom to leave out when nodes complain that they cannot read each other's boxes.

Source of the rule and its argument: docs/decisions/complaints-come-before-masks.md.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LeftOut:
    """Nodes without which no complaint is left.

    Attributes
    ----------
    alone
        Nodes in more complaints than there can be malicious nodes around an honest one.
    pairs
        Two nodes each of which one lied, and no other party can tell which.
    """

    alone: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def nodes(self) -> set[int]:
        """All of them: a vertex cover of the complaints."""
        return {*self.alone, *(node for pair in self.pairs for node in pair)}


def leave_out(complaints: Mapping[int, Collection[int]], liars: int) -> LeftOut:
    """A vertex cover of the complaints: at most one honest node for each malicious one.

    Parameters
    ----------
    complaints
        For each node that complains, about whom.
    liars
        At most so many malicious nodes are around an honest one. With more, honest nodes may be left out
        and blamed alone.
    """
    edges: dict[int, set[int]] = {}
    for one, others in complaints.items():
        for other in others:
            edges.setdefault(one, set()).add(other)
            edges.setdefault(other, set()).add(one)
    alone = []
    while edges:
        # taken one at a time: what they said of others counts no more when those are looked at
        worst = max(sorted(edges), key=lambda node: len(edges[node]))
        if len(edges[worst]) <= liars:
            break
        alone.append(worst)
        _remove(worst, edges)
    pairs = []
    for one in sorted(edges):
        if edges.get(one):
            other = min(edges[one])
            pairs.append((one, other))
            _remove(one, edges)
            _remove(other, edges)
    return LeftOut(tuple(alone), tuple(pairs))


def _remove(node: int, edges: dict[int, set[int]]) -> None:
    for other in edges.pop(node, ()):
        edges[other].discard(node)
        if not edges[other]:
            del edges[other]
