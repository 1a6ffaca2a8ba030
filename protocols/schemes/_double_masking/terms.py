"""What all nodes in one group of a session agree on, and what is signed, committed to and derived."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from protocols.canonical import digest
from protocols.party import PartyId
from protocols.primitives.harary import Neighbourhoods
from protocols.primitives.identity import Roster
from protocols.primitives.key_agreement import KeyPair, agree
from protocols.schemes._double_masking.messages import Keys
from protocols.session import Session

Statement = bytes
"""A 32-byte digest of what a node advertised; it stands for the node in everything derived."""


@dataclass(frozen=True, eq=False)
class Terms:
    """One group of a session.

    Attributes
    ----------
    session
        The session.
    index
        Which of its groups.
    neighbourhoods
        Who holds whose shares; nodes are counted by their position in the group.
    threshold
        Shares that rebuild a secret.
    minimum
        The fewest vectors that are summed.
    roster
        The nodes' identity keys in the malicious profile, `None` in the semi-honest one.
    """

    session: Session
    index: int
    neighbourhoods: Neighbourhoods
    threshold: int
    minimum: int
    roster: Roster | None

    @property
    def malicious(self) -> bool:
        """Whether the aggregator is expected to lie."""
        return self.roster is not None

    @property
    def liars(self) -> int:
        """The most malicious nodes around a node that cannot end the round while no node falls silent.

        They cost it at most as many honest holders as they are, and the threshold must be left.
        """
        return (self.neighbourhoods.holders - self.threshold) // 2

    @cached_property
    def group(self) -> tuple[PartyId, ...]:
        """The nodes of the group."""
        return self.session.groups[self.index]

    @cached_property
    def position(self) -> Mapping[PartyId, int]:
        """Where each node stands in the group."""
        return {node: position for position, node in enumerate(self.group)}

    @cached_property
    def binding(self) -> bytes:
        """The digest of all of this: part of every statement, key and commitment below."""
        roster = self.roster.digest if self.roster is not None else b""
        return digest("securenb double masking", self.session.digest, self.index, roster)

    def advertised(self, node: PartyId, keys: Keys) -> Statement:
        """What a node signs when it advertises its keys."""
        return digest("securenb keys of a node", self.binding, node, keys.channel, keys.mask, keys.commitment)

    def survived(self, members: bytes) -> Statement:
        """What a node confirms when it is told the survivors."""
        return digest("securenb survivors", self.binding, members)

    def commitment(self, node: PartyId, seed: bytes) -> bytes:
        """What binds a node to the seed of its self-mask without telling it."""
        return digest("securenb seed commitment", self.binding, node, seed)

    def self_mask(self, seed: bytes) -> bytes:
        """The key of the mask that a node adds on its own."""
        return digest("securenb self-mask", self.binding, seed)

    def signed(self, node: PartyId, statement: Statement, signature: bytes) -> bool:
        """Whether the node signed the statement; in the semi-honest profile, whether nothing is there."""
        if self.roster is None:
            return signature == b""
        return self.roster.signed(node, statement, signature)


def pairwise_mask(mine: KeyPair, public: bytes, first: Statement, second: Statement) -> bytes:
    """The key of the mask that two neighbours share, who stand in the group in this order."""
    return agree(mine, public, "securenb pairwise mask", first, second)
