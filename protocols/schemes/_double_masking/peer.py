"""What a node and one of its neighbours have between them: a channel for shares, and a mask."""

from dataclasses import dataclass

from protocols.party import PartyId
from protocols.primitives.key_agreement import KeyPair, agree
from protocols.primitives.mask import add_mask, subtract_mask
from protocols.primitives.sealed import Direction, seal, unseal
from protocols.ring import Residues
from protocols.schemes._double_masking.messages import Keys
from protocols.schemes._double_masking.terms import Statement, pairwise_mask

_SHARES, _CONFIRMATION = 0, 1  # the messages each way, by number


@dataclass(frozen=True, slots=True)
class Peer:
    """A neighbour as it advertised itself, seen from one node.

    Attributes
    ----------
    name
        The neighbour.
    first
        Whether the node stands before it in the group.
    mine, its
        What either advertised.
    mask
        Its public key for the mask.
    channel
        The key that only the two have.
    """

    name: PartyId
    first: bool
    mine: Statement
    its: Statement
    mask: bytes
    channel: bytes

    @classmethod
    def met(
        cls, name: PartyId, keys: Keys, its: Statement, mine: Statement, secret: KeyPair, *, first: bool
    ) -> "Peer":
        """The neighbour after the key agreement; `ValueError` if its key is not usable."""
        ends = (mine, its) if first else (its, mine)
        return cls(name, first, mine, its, keys.mask, agree(secret, keys.channel, "securenb channel", *ends))

    def seal_shares(self, shares: bytes) -> bytes:
        """A pair of shares for the neighbour, bound to session, both ends, their keys and what it is."""
        return seal(self.channel, self._outward, shares, b"securenb shares" + self.mine + self.its, _SHARES)

    def unseal_shares(self, sealed: bytes) -> bytes:
        """Inverse of the neighbour's `seal_shares`; `ValueError` if it did not seal this for us."""
        return unseal(self.channel, self._inward, sealed, b"securenb shares" + self.its + self.mine, _SHARES)

    def confirm(self, survived: Statement) -> bytes:
        """The proof to the neighbour alone that the node was told these survivors."""
        return seal(self.channel, self._outward, b"", survived, _CONFIRMATION)

    def confirmed(self, survived: Statement, proof: bytes) -> bool:
        """Whether the neighbour was told these survivors."""
        try:
            return unseal(self.channel, self._inward, proof, survived, _CONFIRMATION) == b""
        except ValueError:
            return False

    def mask_with(self, words: Residues, secret: KeyPair) -> None:
        """Add the mask of the two, which the neighbour subtracts, or the other way round; in place."""
        ends = (self.mine, self.its) if self.first else (self.its, self.mine)
        (add_mask if self.first else subtract_mask)(words, pairwise_mask(secret, self.mask, *ends))

    @property
    def _outward(self) -> Direction:
        return Direction.FROM_FIRST if self.first else Direction.FROM_SECOND

    @property
    def _inward(self) -> Direction:
        return Direction.FROM_SECOND if self.first else Direction.FROM_FIRST
