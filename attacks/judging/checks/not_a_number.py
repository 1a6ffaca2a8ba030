"""A release where a record is not a number."""

from attacks.judging.releases import Neighbours, Pairs, data
from securenb.privacy.sensitivity import Adjacency

SOME = [0.13, 0.5, 0.71, 0.35, 0.92, 0.08, 0.44, 0.67, 0.29, 0.81]
"""Records that both inputs have."""


class NotANumber(Neighbours):
    """One record is NaN in one of two inputs."""

    def pairs(self, adjacency: Adjacency) -> Pairs:
        """See `Neighbours.pairs`."""
        if adjacency == "add-remove":
            return {"10 records, and NaN more": (data(SOME), data([*SOME, float("nan")]))}
        return {"a record becomes NaN": (data([*SOME, 0.5]), data([*SOME, float("nan")]))}
