"""Nodes encrypt under a key that no single party holds: any quorum of holders opens sums of groups together.

A dealer makes the key, shares it among the holders and forgets it. Nodes send their encrypted vectors to
the aggregator, and to each holder a receipt. The aggregator publishes the vectors for which a quorum has
receipts; each holder makes the products anew, confirms to the others what it was told, and once a quorum was
told the same decrypts its part and proves that it did.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from gmpy2 import mpz

from protocols.credentials import Credentials
from protocols.entropy import Entropy, hedged
from protocols.errors import FaultyParty, TooFewParties, blaming
from protocols.one_list import Confirmed, ConfirmingCommittee
from protocols.opened import Lost, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.paillier import (
    Ciphertexts,
    ciphertexts_from_bytes,
    ciphertexts_to_bytes,
    encrypt,
    product,
)
from protocols.primitives.plaintext_knowledge import prove_knowledge, verifying_power
from protocols.primitives.randomisers import short_exponents, short_powers
from protocols.primitives.shared_decryption import Proof, SharedKey, combine, verify
from protocols.protocol import Claims
from protocols.ring import Integers, to_ring
from protocols.schemes._paillier.dealer import DEALER, Dealer, Dealt, HolderKey, Share
from protocols.schemes._paillier.holder import (
    RECEIPT_BYTES,
    Contributions,
    Holder,
    Partials,
    Proven,
    Published,
    Receipt,
    Roster,
    group_context,
    read_proven,
    receipt,
    sender_context,
)
from protocols.schemes._paillier.packed import Key, PackedPaillier, Ready
from protocols.session import Session


class _Node(Party):
    def __init__(
        self,
        protocol: "ThresholdPaillier",
        me: PartyId,
        packed: list[mpz],
        session: Session,
        entropy: Entropy,
    ) -> None:
        super().__init__(me)
        self._protocol = protocol
        self._packed = packed
        self._session = session
        self._entropy = entropy

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Key() as message if envelope.sender == DEALER and self.output is None:
                key = self._protocol.read_key(DEALER, message)
            case _:
                raise self.unexpected(envelope)
        exponents = short_exponents(key, len(self._packed), self._entropy)
        ciphertexts = encrypt(key, self._packed, short_powers(key, exponents))
        bound = sender_context(self._session, self.me)
        proof = prove_knowledge(key, ciphertexts, self._packed, exponents, bound, self._entropy)
        vector = Proven(ciphertexts_to_bytes(key, ciphertexts), proof)
        given = Receipt(receipt(self._session, self.me, vector))
        self.output = True
        # receipts first: who falls silent in between is not summed
        return [
            *(self.to(holder, given) for holder in self._session.trustees[1:]),
            self.to(AGGREGATOR, vector),
        ]


class _Aggregator(Party):
    def __init__(self, protocol: "ThresholdPaillier", session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._holders = session.trustees[1:]
        self._count = protocol.slots(session).plaintexts
        self._key: SharedKey | None = None
        self._vectors: Intake[tuple[Proven, Ciphertexts]] = Intake(session.nodes)
        self._rosters: Intake[Roster] = Intake(self._holders)
        self._partials: Intake[list[Ciphertexts]] = Intake(())
        self._asked: list[PartyId] = []
        self._published: tuple[Contributions, ...] = ()
        self._products: list[Ciphertexts] = []
        self._lost: list[Lost] = []
        self._confirmed: set[PartyId] = set()
        self._closed = self._waited = self._listed = self._due = False

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Dealt() as dealt if sender == DEALER and self._key is None:
                self._key = self._protocol.read_dealt(dealt)
                self._power = verifying_power(self._key.public, self._count, len(self._session.nodes))
                return [self.to(DEALER, Ready())]
            case Proven() as vector if self._key is not None and not self._closed:
                self._vectors.check(sender)
                key, session = self._key.public, self._session
                with blaming(sender, "sent a malformed vector"):
                    ciphertexts = read_proven(key, session, sender, vector, self._count, self._power)
                self._vectors.admit(sender, (vector, ciphertexts))
                self._closed = self._vectors.complete
            case Roster() as roster:
                self._rosters.check(sender)
                if len(roster.receipts) != len(self._session.nodes) or any(
                    len(digest) not in (0, RECEIPT_BYTES) for digest in roster.receipts
                ):
                    raise FaultyParty(sender, "sent a malformed roster")
                self._rosters.admit(sender, roster)
            case Confirmed() if sender in self._asked and sender not in self._confirmed:
                self._confirmed.add(sender)
                return []
            case Partials() as partials if self._published:
                self._partials.check(sender)
                # more than a quorum's are not looked at
                self._partials.admit(sender, [] if self.output else self._read(sender, partials))
                self._open()
                return []
            case _:
                raise self.unexpected(envelope)
        self._waited = False
        ready = self._closed and self._rosters.complete and not self._published
        return self._publish(self._key) if ready and self._key else []

    def deadline(self) -> list[Envelope]:
        if self._published:
            if not self._due:  # holders wait for one another's confirmation until this very deadline
                self._due = True
                return []
            quorum = self._protocol.quorum
            spoke = self._confirmed if len(self._confirmed) < quorum else self._partials.received
            raise TooFewParties(
                [holder for holder in self._holders if holder not in spoke], f"{quorum} holders are needed"
            )
        # dealer and holders may have waited for a silent party, too: they speak at the same deadline;
        # receipts come before vectors, so with all of these no party waits
        if self._key is not None:
            listed, self._listed = self._listed or self._closed, True
            self._closed = True
            if listed and len(self._rosters.received) >= self._protocol.quorum:
                return self._publish(self._key)
        if self._waited:
            raise TooFewParties(self._rosters.missing if self._key else [DEALER], "no party speaks any more")
        self._waited = True
        return []

    def _publish(self, key: SharedKey) -> list[Envelope]:
        """Send on what a quorum of holders knows to come from the nodes, to all who know it."""
        self._closed = True
        session, nodes = self._session, self._session.nodes
        vectors = self._vectors.received
        if not vectors:
            why = "no node has encrypted anything; nodes have the key from the dealer"
            raise TooFewParties([DEALER, *nodes], why)
        receipts = {node: receipt(session, node, vector) for node, (vector, _) in vectors.items()}
        known = {
            holder: {n for n, given in zip(nodes, roster.receipts, strict=True) if given == receipts.get(n)}
            for holder, roster in self._rosters.received.items()
        }
        best = sorted(known, key=lambda holder: -len(known[holder]))[: self._protocol.quorum]
        together = set.intersection(*(known[holder] for holder in best))
        members, self._lost = enough_present(session, together, self._protocol.survivors)
        self._published = tuple(
            Contributions(group, present, tuple(vectors[node][0] for node in present))
            for group, present in members.items()
        )
        self._products = [
            product(key.public, [vectors[node][1] for node in group.members]) for group in self._published
        ]
        summed = {node for group in self._published for node in group.members}
        self._asked = [holder for holder in known if summed <= known[holder]]
        self._partials = Intake(self._asked)
        return [self.to(holder, Published(self._published)) for holder in self._asked]

    def _read(self, holder: PartyId, message: Partials) -> list[Ciphertexts]:
        """The partial decryptions of each group, proven right; blames the holder otherwise."""
        assert self._key is not None
        key, index = self._key, self._holders.index(holder)
        if len(message.groups) != len(self._published):
            raise FaultyParty(holder, f"answered {len(message.groups)} of {len(self._published)} requests")
        read = []
        for asked, ciphertexts, answer in zip(self._published, self._products, message.groups, strict=True):
            with blaming(holder, "sent a malformed partial decryption"):
                partials = ciphertexts_from_bytes(key.public, answer.ciphertexts, len(ciphertexts))
            proof = Proof(answer.challenge, mpz(int.from_bytes(answer.response, "big")))
            if not verify(key, index, ciphertexts, partials, group_context(self._session, asked), proof):
                raise FaultyParty(holder, f"did not prove its partial decryption of group {asked.group}")
            read.append(partials)
        return read

    def _open(self) -> None:
        """Combine, once a quorum has answered."""
        received = self._partials.received
        if self.output or len(received) < self._protocol.quorum:
            return
        assert self._key is not None
        slots = self._protocol.slots(self._session)
        rows, members, lost = [], [], list(self._lost)
        for position, group in enumerate(self._published):
            partials = {self._holders.index(holder): each[position] for holder, each in received.items()}
            try:
                plaintexts = combine(self._key, partials)
                row = slots.unpack(plaintexts, self._key.public.n, len(group.members))
            except ValueError as error:
                lost.append(Lost(group.group, (), str(error)))
                continue
            rows.append(to_ring(row))
            members.append(group.members)
        self.output = opened_rows(self._session, rows, members, lost)


@dataclass(frozen=True)
class ThresholdPaillier(ConfirmingCommittee, PackedPaillier):
    """Additively homomorphic encryption whose key is shared among holders by a trusted dealer.

    Parameters
    ----------
    quorum
        How many of the holders open a sum; fewer learn nothing.
    """

    holders: int = 4
    quorum: int = 3
    corrupt_holders: int = 1

    claims = Claims(
        sees="sums",
        trust="the dealer, to forget the key; all but corrupt_holders of the holders, not to work with the "
        "aggregator",
        dropouts="nodes: the others are summed, down to the threshold; holders: down to the quorum",
        malicious_aggregator="one sum for each group, of at least the threshold, with up to corrupt_holders "
        "holders: they confirm one list to one another; it can prevent a result",
        source="Fouque, Poupard, Stern, FC 2000; Damgård, Jurik, PKC 2001, with a trusted dealer",
    )
    messages = (Key, Ready, HolderKey, Dealt, Share, Receipt, Proven, Roster, Published, Confirmed, Partials)

    @classmethod
    def for_tests(cls) -> Self:
        """See `Protocol.for_tests`: a modulus of 256 bits, two of three holders."""
        return cls(bits=256, insecure_bits=True, holders=3, quorum=2, corrupt_holders=0)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; its entropy randomises the ciphertexts."""
        fresh = hedged(entropy, session.digest, me)
        return _Node(self, me, self.slots(session).pack(vector), session, fresh)

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(self, session)

    def trustee_ids(self, nodes: Sequence[PartyId]) -> tuple[PartyId, ...]:
        """The dealer, then the holders."""
        return (DEALER, *(f"holder-{index}" for index in range(self.holders)))

    def spares(self, trustees: Collection[PartyId]) -> bool:
        """See `Protocol.spares`; the dealer is needed, and a quorum of the holders."""
        return DEALER not in trustees and len(trustees) <= self.holders - self.quorum

    def trustee(
        self, me: PartyId, session: Session, entropy: Entropy, credentials: Credentials | None = None
    ) -> Party:
        """The dealer, whose entropy makes the key, or a holder, whose entropy hides its share in proofs.

        See `ConfirmingCommittee.trustee`; the dealer needs no credentials.
        """
        if me == DEALER:
            return Dealer(self, session, entropy)
        return Holder(self, me, session, entropy, self.one_list(me, session, credentials))

    def frame_limit(self, session: Session) -> int:
        """See `Protocol.frame_limit`; the largest frame holds the encrypted vectors of all nodes."""
        # beside ciphertexts, a node's vector has a proof and the dealer's message a check for each holder
        vectors = len(session.nodes) * (self.sealed_bytes(session) + self.bits)
        return super().frame_limit(session) + vectors + (self.holders + 8) * self.bits // 4

    def read_dealt(self, message: Dealt) -> SharedKey:
        """What was dealt; `FaultyParty` if it is malformed."""
        public = self.read_key(DEALER, message.key)
        data = b"".join((message.base, *message.checks))
        with blaming(DEALER, "dealt malformed checks"):
            base, *checks = ciphertexts_from_bytes(public, data, 1 + self.holders)
        return SharedKey(public, base, tuple(checks))
