"""What is asked of a search for attacks."""

from dataclasses import dataclass

from protocols.party import PartyId

MOST_LISTS = 3
"""More lists than this are not searched."""


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    protocol
        By name.
    nodes, threshold
        Of the one group.
    corrupt
        Parties that work with the server: holders or helpers where there are such, otherwise nodes.
    holders, quorum
        Of a committee, or the helpers of `verified` (their number alone).
    neighbours
        Of each node on a circle, for `secagg_plus`; `None` for the complete graph.
    seconds
        How long to search.
    """

    protocol: str
    nodes: int
    threshold: int
    corrupt: int
    holders: int | None = None
    quorum: int | None = None
    neighbours: int | None = None
    seconds: float = 60.0

    @property
    def names(self) -> tuple[PartyId, ...]:
        """The nodes."""
        return tuple(f"node-{i}" for i in range(self.nodes))
