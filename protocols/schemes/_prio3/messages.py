"""What nodes and aggregators of the protocol `verified` say, and how reports are sealed."""

from protocols.canonical import digest
from protocols.party import PartyId
from protocols.primitives.key_agreement import KeyPair, agree, check_public
from protocols.primitives.vdaf.prio3 import NONCE_BYTES
from protocols.session import Session
from protocols.wire import Message


class Key(Message, frozen=True):
    """An aggregator's ephemeral public key, 32 bytes."""

    public: bytes


class VerifyKey(Message, frozen=True):
    """The leader's ephemeral public key, and the verification key sealed for a helper."""

    key: bytes
    sealed: bytes


class Report(Message, frozen=True):
    """A node's ephemeral public key, its public share, and an input share sealed for each aggregator."""

    key: bytes
    public: bytes
    shares: tuple[bytes, ...]


class Relay(Message, frozen=True):
    """A helper's part of the report of one node, named by its place in the session."""

    node: int
    key: bytes
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


def channel(session: Session, mine: KeyPair, other: bytes, sender: PartyId, recipient: PartyId) -> bytes:
    """The key of the one message from `sender` to `recipient`; `ValueError` for an unusable public key."""
    check_public(other)
    ends = sorted([mine.public, other])
    return agree(mine, other, "securenb verified channel", session.digest, sender, recipient, *ends)
