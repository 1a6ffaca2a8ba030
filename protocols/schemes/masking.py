"""Pairwise masks that cancel in the sum of a whole group: cheap, exact, and without any recovery.

Source: the first step of Bonawitz et al. 2017, "Practical Secure Aggregation", section 4.0.1 (one-time
pads). Deviation: none of its recovery, so one silent node costs its group.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from protocols.entropy import Entropy
from protocols.errors import FaultyParty, blaming
from protocols.opened import Lost, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.key_agreement import KEY_BYTES, KeyPair, agree, check_public, key_pair
from protocols.primitives.mask import add_mask, subtract_mask
from protocols.protocol import Claims, Protocol
from protocols.ring import Integers, Residues, received, to_bytes, to_ring, total
from protocols.session import Session
from protocols.wire import Message


class Key(Message, frozen=True):
    """A node's ephemeral public key, 32 bytes."""

    public: bytes


class GroupKeys(Message, frozen=True):
    """The public keys of a whole group, 32 bytes each, in the order of the group."""

    keys: bytes


class Masked(Message, frozen=True):
    """A node's vector plus its masks, 8·d bytes."""

    words: bytes


def masked(
    vector: Residues, me: PartyId, mine: KeyPair, group: Mapping[PartyId, bytes], session_digest: bytes
) -> Residues:
    """The vector plus one mask for each other node of `group` (names to public keys, in group order).

    Of two nodes the one that stands first adds their mask, the other subtracts it. A group of one has
    no node to hide among: its vector stays as it is.
    """
    result = vector.copy()
    mask = subtract_mask
    for peer, public in group.items():
        if peer == me:
            mask = add_mask
            continue
        ends = [(me, mine.public), (peer, public)]
        first, second = ends if mask is add_mask else reversed(ends)
        mask(result, agree(mine, public, "securenb pairwise mask", session_digest, first, second))
    return result


class _Node(Party):
    def __init__(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> None:
        super().__init__(me)
        self._vector = vector
        self._session = session
        self._group = session.groups[session.group_of[me]]
        self._key = key_pair(entropy(KEY_BYTES))

    def start(self) -> list[Envelope]:
        return [self.to(AGGREGATOR, Key(self._key.public))]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case GroupKeys(keys) if envelope.sender == AGGREGATOR and self.output is None:
                words = self._mask(keys)
            case _:
                raise self.unexpected(envelope)
        self.output = True
        return [self.to(AGGREGATOR, Masked(words))]

    def _mask(self, keys: bytes) -> bytes:
        if len(keys) != KEY_BYTES * len(self._group):
            raise FaultyParty(AGGREGATOR, f"sent {len(keys)} bytes of keys for {len(self._group)} nodes")
        publics = [keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)]
        group = dict(zip(self._group, publics, strict=True))
        if group[self.me] != self._key.public:
            raise FaultyParty(AGGREGATOR, f"passed on another key for {self.me}")
        with blaming(AGGREGATOR, "passed on an unusable key"):
            return to_bytes(masked(to_ring(self._vector), self.me, self._key, group, self._session.digest))


class _Aggregator(Party):
    def __init__(self, session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._session = session
        self._keys: Intake[Key] = Intake(session.nodes)
        self._masked: Intake[Residues] = Intake(session.nodes)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        if self.output is not None:
            raise self.unexpected(envelope)
        sender = envelope.sender
        match envelope.body:
            case Key() as key:
                self._admit_key(sender, key)
                return self._introduce(self._session.group_of[sender])
            case Masked(words):
                self._masked.check(sender)
                if sender not in self._keys.received:
                    raise FaultyParty(sender, "sent a masked vector before its key")
                self._masked.admit(sender, received(sender, words, self._session.length))
            case _:
                raise self.unexpected(envelope)
        if self._masked.complete:
            self._open()
        return []

    def _admit_key(self, sender: PartyId, key: Key) -> None:
        self._keys.check(sender)
        with blaming(sender, "sent an unusable key"):
            check_public(key.public)
        self._keys.admit(sender, key)

    def _introduce(self, index: int) -> list[Envelope]:
        group = self._session.groups[index]
        if any(node not in self._keys.received for node in group):
            return []
        keys = GroupKeys(b"".join(self._keys.received[node].public for node in group))
        return [self.to(node, keys) for node in group]

    def deadline(self) -> list[Envelope]:
        """Give up every group in which a node is silent."""
        self._open()
        return []

    def _open(self) -> None:
        rows: list[Residues] = []
        members: list[tuple[PartyId, ...]] = []
        lost: list[Lost] = []
        masked = self._masked.received
        for index, group in enumerate(self._session.groups):
            # without every key no node was asked for a vector: only those who owe a key are missing
            missing = tuple(node for node in group if node not in self._keys.received)
            missing = missing or tuple(node for node in group if node not in masked)
            if missing:
                lost.append(Lost(index, missing, f"{len(missing)} of {len(group)} masks cannot cancel"))
                continue
            rows.append(total(masked[node] for node in group))
            members.append(group)
        self.output = opened_rows(self._session, rows, members, lost)


@dataclass(frozen=True)
class Masking(Protocol):
    """Pairwise masks, all or nothing for each group.

    A group of one sends its vector as it is: its row is that vector under any protocol.
    """

    claims = Claims(
        sees="sums",
        trust="the aggregator, to pass on the keys unchanged and not to sit among the nodes",
        dropouts="one silent node costs its group; the other groups are opened",
        malicious_aggregator="swaps the keys and reads every vector",
        source="Bonawitz et al. 2017, section 4 (masking with one-time pads)",
    )
    messages = (Key, GroupKeys, Masked)

    def partners(self, size: int) -> int:
        """See `Protocol.partners`."""
        return size - 1

    def survivors(self, size: int) -> int:
        """The whole group: masks cancel only then. `ValueError` for any other threshold."""
        return self.whole_group(size)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; draws one key."""
        return _Node(me, vector, session, entropy)

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(session)
