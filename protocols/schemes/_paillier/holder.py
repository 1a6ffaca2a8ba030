"""What holders of the protocol `threshold_paillier` do and say, and how they know what nodes have sent."""

from collections.abc import Callable

from gmpy2 import mpz

from protocols.canonical import digest
from protocols.entropy import Entropy
from protocols.errors import FaultyParty, blaming
from protocols.one_list import Confirmed, OneList
from protocols.opened import check_members
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.box import SEED_BYTES, BoxKey
from protocols.primitives.paillier import (
    Ciphertexts,
    PublicKey,
    ciphertexts_from_bytes,
    ciphertexts_to_bytes,
    product,
)
from protocols.primitives.plaintext_knowledge import verify_knowledge, verifying_power
from protocols.primitives.shared_decryption import SharedKey, partial_decryptions, prove
from protocols.schemes._paillier.dealer import DEALER, HolderKey, Share, Terms, share_purpose
from protocols.session import Session
from protocols.wire import Message

RECEIPT_BYTES = 32


class Proven(Message, frozen=True):
    """A node's encrypted vector, ciphertexts of bits / 4 bytes each, and the proof that it knows it."""

    ciphertexts: bytes
    proof: bytes


class Receipt(Message, frozen=True):
    """The digest of what a node sends to the aggregator, 32 bytes."""

    digest: bytes


class Roster(Message, frozen=True):
    """The receipts that a holder has, in the order of the session's nodes; empty where there is none."""

    receipts: tuple[bytes, ...]


class Contributions(Message, frozen=True):
    """What those members of a group have sent who are to be summed."""

    group: int
    members: tuple[str, ...]
    vectors: tuple[Proven, ...]


class Published(Message, frozen=True):
    """What the aggregator asks the holders to open, in one go."""

    groups: tuple[Contributions, ...]


class Partial(Message, frozen=True):
    """A holder's partial decryptions of one group's product, and the proof that they are right."""

    ciphertexts: bytes
    challenge: bytes
    response: bytes


class Partials(Message, frozen=True):
    """A holder's answer, in the order of what was published."""

    groups: tuple[Partial, ...]


def receipt(session: Session, node: PartyId, vector: Proven) -> bytes:
    """The digest by which holders know what a node has sent."""
    label = "securenb threshold paillier receipt"
    return digest(label, session.digest, node, vector.ciphertexts, vector.proof)


def sender_context(session: Session, node: PartyId) -> bytes:
    """What a node's proof is bound to."""
    return digest("securenb threshold paillier node", session.digest, node)


def group_context(session: Session, group: Contributions) -> bytes:
    """What a proof is bound to: the session, the group and its members."""
    return digest("securenb threshold paillier group", session.digest, group.group, list(group.members))


def read_proven(
    key: PublicKey,
    session: Session,
    node: PartyId,
    vector: Proven,
    count: int,
    power: Callable[[mpz], mpz],
) -> Ciphertexts:
    """The `count` ciphertexts that `node` has sent and knows; `ValueError` if they are not such."""
    ciphertexts = ciphertexts_from_bytes(key, vector.ciphertexts, count)
    if not verify_knowledge(key, ciphertexts, sender_context(session, node), vector.proof, power):
        raise ValueError(f"{node} did not prove that it knows what it encrypted")
    return ciphertexts


class Holder(Party):
    """Holds a share and the nodes' receipts; decrypts, once, the products of vectors with a receipt.

    It does so when a quorum of holders has confirmed that it was told the same vectors of the same members.
    """

    def __init__(
        self, terms: Terms, me: PartyId, session: Session, entropy: Entropy, one_list: OneList
    ) -> None:
        super().__init__(me)
        self._terms = terms
        self._session = session
        self._entropy = entropy
        self._index = session.trustees.index(me) - 1
        self._pair = BoxKey(terms.key_exchange, entropy(SEED_BYTES))
        self._key: SharedKey | None = None
        self._share: mpz | None = None
        self._receipts: Intake[bytes] = Intake(session.nodes)
        self._one_list = one_list
        self._asked: list[tuple[Contributions, Ciphertexts]] = []
        self._listed = False

    def start(self) -> list[Envelope]:
        """See `Party.start`."""
        return [self.to(DEALER, HolderKey(self._pair.public))]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        match envelope.body:
            case Share() as share if envelope.sender == DEALER and self._key is None:
                self._key, self._share = self._read(share)
            case Receipt(digest) if not self._listed:
                self._receipts.check(envelope.sender)
                if len(digest) != RECEIPT_BYTES:
                    raise FaultyParty(envelope.sender, f"sent a receipt of {len(digest)} bytes")
                self._receipts.admit(envelope.sender, digest)
            case Published() as published if envelope.sender == AGGREGATOR and self._listed:
                if self._key is None or self._asked:
                    raise self.unexpected(envelope)
                return self._confirm(self._key, published)
            case Confirmed() as confirmed:
                self._one_list.hear(envelope.sender, confirmed)
                return self._answer() if self._one_list.complete and self.output is None else []
            case _:
                raise self.unexpected(envelope)
        return self._list() if self._key and self._receipts.complete else []

    def deadline(self) -> list[Envelope]:
        """See `Party.deadline`: tells which receipts it has; gives up what was not confirmed by then."""
        if self._asked and self.output is None:
            raise self._one_list.too_few()
        return self._list() if self._key and not self._listed else []

    def _read(self, message: Share) -> tuple[SharedKey, mpz]:
        key = self._terms.read_dealt(message.dealt)
        with blaming(DEALER, "sent an unreadable share"):
            plain = self._pair.open(message.sealed, share_purpose(self._session, self.me))
        return key, mpz(int.from_bytes(plain, "big"))

    def _list(self) -> list[Envelope]:
        self._listed = True
        received = self._receipts.received
        return [self.to(AGGREGATOR, Roster(tuple(received.get(node, b"") for node in self._session.nodes)))]

    def _confirm(self, key: SharedKey, published: Published) -> list[Envelope]:
        groups = [group.group for group in published.groups]
        if not groups or len(set(groups)) != len(groups):
            raise FaultyParty(AGGREGATOR, "asked for no group, or for one twice")
        with blaming(AGGREGATOR, "asked for what is not opened"):
            asked = [(group, self._product(key, group)) for group in published.groups]
        said = self._one_list.confirm({group.group: self._list_of(group) for group in published.groups})
        self._asked = asked
        return said + (self._answer() if self._one_list.complete else [])

    def _list_of(self, group: Contributions) -> bytes:
        """The digest of members and of what they sent; a corrupt node may give receipts for two things."""
        sent = [
            receipt(self._session, node, vector)
            for node, vector in zip(group.members, group.vectors, strict=True)
        ]
        return self._one_list.list_of(group.group, group.members, sent)

    def _answer(self) -> list[Envelope]:
        key, share = self._key, self._share
        assert key is not None
        assert share is not None
        partials = []
        for group, ciphertexts in self._asked:
            mine = partial_decryptions(key, share, ciphertexts)
            bound = group_context(self._session, group)
            proof = prove(key, self._index, share, ciphertexts, mine, bound, self._entropy)
            response = proof.response.to_bytes(key.response_bytes, "big")
            partials.append(Partial(ciphertexts_to_bytes(key.public, mine), proof.challenge, response))
        self._share = None
        self.output = True
        return [self.to(AGGREGATOR, Partials(tuple(partials)))]

    def _product(self, key: SharedKey, group: Contributions) -> Ciphertexts:
        """The product of what the members sent, made anew; `ValueError` if anything is not theirs."""
        session = self._session
        check_members(session, group.group, group.members, self._terms.survivors)
        if len(group.vectors) != len(group.members):
            raise ValueError(f"{len(group.vectors)} vectors for {len(group.members)} members")
        for node, vector in zip(group.members, group.vectors, strict=True):
            if self._receipts.received.get(node) != receipt(session, node, vector):
                raise ValueError(f"{node} gave no receipt for this")
        count = self._terms.slots(session).plaintexts
        power = verifying_power(key.public, count, len(group.members))
        return product(
            key.public,
            [
                read_proven(key.public, session, node, vector, count, power)
                for node, vector in zip(group.members, group.vectors, strict=True)
            ],
        )
