"""A release where a class loses its only record."""

from attacks.judging.releases import Neighbours, Pairs, data
from securenb.privacy.sensitivity import Adjacency

SOME = [0.13, 0.5, 0.71, 0.35, 0.92]
"""Records of the first class."""


class EmptyClass(Neighbours):
    """A class is empty in one of two inputs."""

    def pairs(self, adjacency: Adjacency) -> Pairs:
        """See `Neighbours.pairs`."""
        if adjacency == "add-remove":
            return {"a class loses its only record": (data(SOME, [0] * 5), data([*SOME, 0.5], [0] * 5 + [1]))}
        return {
            "the only record of a class changes its class": (
                data([*SOME, 0.5], [0] * 6),
                data([*SOME, 0.5], [0] * 5 + [1]),
            )
        }
