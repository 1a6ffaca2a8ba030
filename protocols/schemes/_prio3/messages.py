"""What nodes and aggregators of the protocol `verified` say, and how reports are sealed."""

from protocols.canonical import Canonical, digest
from protocols.party import PartyId
from protocols.primitives.vdaf.prio3 import NONCE_BYTES
from protocols.session import Session
from protocols.wire import Message


class Key(Message, frozen=True):
    """An aggregator's ephemeral public key: 1,216 bytes if hybrid, else 32."""

    public: bytes


class VerifyKey(Message, frozen=True):
    """The verification key, sealed for a helper."""

    sealed: bytes


class Report(Message, frozen=True):
    """A node's public share, and an input share sealed for each aggregator."""

    public: bytes
    shares: tuple[bytes, ...]


class Relay(Message, frozen=True):
    """A helper's part of the report of one node, named by its place in the session."""

    node: int
    public: bytes
    share: bytes


class Verifier(Message, frozen=True):
    """A helper's verifier share of one report; empty if it could not read its input share."""

    node: int
    share: bytes


class Open(Message, frozen=True):
    """For each group to be opened: its index, its accepted nodes, and their joint randomness seeds."""

    groups: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    seeds: tuple[tuple[bytes, ...], ...]


class Sums(Message, frozen=True):
    """A helper's share of the sum of each opened group, noise included, as encoded field elements."""

    rows: tuple[bytes, ...]


def nonce_of(session: Session, node: PartyId) -> bytes:
    """The nonce of a node's report: its own in every session."""
    return digest("securenb verified nonce", session.digest, node)[:NONCE_BYTES]


def purpose(
    session: Session, sender: PartyId, recipient: PartyId, public: bytes = b""
) -> tuple[Canonical, ...]:
    """What the one box from `sender` to `recipient` is for; a node's is bound to its public share."""
    return ("securenb verified", session.digest, sender, recipient, public)
