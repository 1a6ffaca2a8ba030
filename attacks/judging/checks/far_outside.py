"""A release where a record lies far outside the public bounds."""

from attacks.judging.releases import Neighbours, Pairs, data
from securenb.privacy.sensitivity import Adjacency

SOME = [0.13, 0.5, 0.71, 0.35, 0.92, 0.08, 0.44, 0.67, 0.29, 0.81]
"""Records that both inputs have."""


class FarOutside(Neighbours):
    """One record is a million in one of two inputs."""

    def pairs(self, adjacency: Adjacency) -> Pairs:
        """See `Neighbours.pairs`."""
        if adjacency == "add-remove":
            return {"10 records, and a million more": (data(SOME), data([*SOME, 1e6]))}
        return {"a record becomes a million": (data([*SOME, 0.5]), data([*SOME, 1e6]))}
