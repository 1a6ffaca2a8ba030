"""A release on ordinary neighbours, within the public bounds."""

from attacks.judging.releases import Neighbours, Pairs, data
from securenb.privacy.sensitivity import Adjacency

SOME = [0.13, 0.5, 0.71, 0.35, 0.92, 0.08, 0.44, 0.67, 0.29, 0.81]
"""Records that both inputs have."""


class InBounds(Neighbours):
    """One record more, or another record."""

    refusable = False

    def pairs(self, adjacency: Adjacency) -> Pairs:
        """See `Neighbours.pairs`."""
        if adjacency == "add-remove":
            return {
                "10 records, and a 1 more": (data(SOME), data([*SOME, 1.0])),
                "10 zeros, and a 1 more": (data([0.0] * 10), data([0.0] * 10 + [1.0])),
            }
        return {
            "a 0 becomes a 1": (data([*SOME, 0.0]), data([*SOME, 1.0])),
            "one of 11 zeros becomes a 1": (data([0.0] * 11), data([0.0] * 10 + [1.0])),
        }
