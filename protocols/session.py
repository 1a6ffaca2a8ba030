"""What all parties of one run agree on."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from protocols.canonical import digest
from protocols.grouping import Groups
from protocols.party import PartyId
from protocols.ring import Capacity

SESSION_ID_BYTES = 16


@dataclass(frozen=True)
class Session:
    """What all parties of one run agree on, byte for byte; made by `Protocol.session`, never by hand.

    Its digest is bound into every frame, key and signature, so parties that differ in anything here
    cannot even talk.
    """

    id: bytes
    protocol: str
    groups: Groups
    length: int
    capacity: Capacity
    context: bytes
    trustees: tuple[PartyId, ...] = ()

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over every field (32 bytes)."""
        capacity = self.capacity
        return digest(
            "securenb session",
            self.id,
            self.protocol,
            [list(group) for group in self.groups],
            self.length,
            [capacity.bound, capacity.nodes, capacity.tail],
            self.context,
            list(self.trustees),
        )

    @cached_property
    def nodes(self) -> tuple[PartyId, ...]:
        """All nodes, group by group."""
        return tuple(node for group in self.groups for node in group)

    @cached_property
    def group_of(self) -> Mapping[PartyId, int]:
        """Index of each node's group."""
        return {node: index for index, group in enumerate(self.groups) for node in group}
