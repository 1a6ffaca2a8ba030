"""A release of no record at all."""

from attacks.judging.releases import Neighbours, Pairs, data
from securenb.privacy.sensitivity import Adjacency


class EmptyData(Neighbours):
    """No record, and a single one."""

    def pairs(self, adjacency: Adjacency) -> Pairs:
        """See `Neighbours.pairs`."""
        if adjacency == "add-remove":
            return {"no record, and a single 1": (data([]), data([1.0]))}
        return {}
