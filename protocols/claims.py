"""What a protocol says of itself."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Claims:
    """What a protocol says of itself, in the words of the comparison table.

    Attributes
    ----------
    sees
        What the aggregator can read: every node's vector, or sums of groups only.
    trust
        Who must be trusted, and for what.
    dropouts
        What happens when nodes fall silent.
    malicious_aggregator
        What an aggregator gains by breaking the protocol.
    source
        The paper or document that it follows.
    nodes_see
        What other nodes can read without breaking the protocol, in the same words.
    """

    sees: Literal["vectors", "sums"]
    trust: str
    dropouts: str
    malicious_aggregator: str
    source: str
    nodes_see: Literal["vectors", "sums"] = "sums"

    @property
    def vectors_are_read(self) -> bool:
        """Whether a node's vector is read by any other party: it is then charged on its own."""
        return "vectors" in (self.sees, self.nodes_see)
