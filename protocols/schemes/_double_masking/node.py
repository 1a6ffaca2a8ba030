"""A node under double masking: it checks everything it is asked against the terms before it answers."""

from collections.abc import Collection
from dataclasses import dataclass

from protocols.credentials import Credentials
from protocols.entropy import Entropy, hedged
from protocols.errors import Abort, FaultyParty, TooFewParties
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.primitives.key_agreement import KEY_BYTES, KeyPair, key_pair
from protocols.primitives.mask import add_mask
from protocols.primitives.shamir import SHARE_BYTES, draw_secret, split
from protocols.releases import Releases
from protocols.ring import Integers, to_bytes, to_ring
from protocols.schemes._double_masking.messages import (
    PROOF_BYTES,
    SEALED_BYTES,
    Complaint,
    Confirmation,
    Confirmations,
    DeliveredShares,
    Keys,
    MaskedVector,
    NeighbourKeys,
    Participants,
    SealedShares,
    Survivors,
    Unmasking,
    advertised_bytes,
    bits_of,
    items,
    pack_set,
    read_advertised,
    unpack_set,
)
from protocols.schemes._double_masking.peer import Peer
from protocols.schemes._double_masking.terms import Statement, Terms
from protocols.session_rules import RefusedSession, SessionRule
from protocols.wire import Message


@dataclass(frozen=True, slots=True)
class _Secrets:
    """What a node draws for one run: `mask` and `seed` are shared, `channel` protects the shares."""

    channel: KeyPair
    mask: bytes
    mask_key: KeyPair
    seed: bytes


class Node(Party):
    """The party of one node.

    It answers each kind of request once. A request that breaks the terms raises `FaultyParty` and
    changes nothing; too few neighbours, or a session it released something in before, end the run for
    this node with an `Abort`.
    """

    def __init__(
        self,
        me: PartyId,
        vector: Integers,
        terms: Terms,
        entropy: Entropy,
        credentials: Credentials | None,
    ) -> None:
        super().__init__(me)
        self._vector = vector
        self._terms = terms
        self._entropy = hedged(entropy, terms.session.digest, me)
        self._releases = Releases() if credentials is None else credentials.releases
        self._position = terms.position[me]
        self._around = terms.neighbourhoods.around(self._position)
        self._place = self._around.index(self._position)
        self._identity = credentials.identity if credentials is not None and terms.malicious else None
        if terms.roster is not None and (self._identity is None or self._identity.public != terms.roster[me]):
            raise RefusedSession(SessionRule.IDENTITIES, f"these are not the credentials of {me}")

        self._expected: type[Message] | None = None
        self._secrets: _Secrets
        self._keys: Keys
        self._statement: Statement
        self._peers: dict[int, Peer] = {}
        self._pairs: dict[int, bytes] = {}
        self._going: dict[int, None] = {}
        self._survived: Statement
        self._standing: dict[int, None] = {}

    def _sign(self, statement: Statement) -> bytes:
        return self._identity.sign(statement) if self._identity is not None else b""

    def start(self) -> list[Envelope]:
        """Draw the secrets of this run and advertise what is public of them."""
        mask, seed = draw_secret(self._entropy), draw_secret(self._entropy)
        self._secrets = _Secrets(key_pair(self._entropy(KEY_BYTES)), mask, key_pair(mask), seed)
        publics = (self._secrets.channel.public, self._secrets.mask_key.public)
        commitment = self._terms.commitment(self.me, seed)
        self._statement = self._terms.advertised(self.me, Keys(*publics, commitment, b""))
        self._keys = Keys(*publics, commitment, self._sign(self._statement))
        self._expected = NeighbourKeys
        return [self.to(AGGREGATOR, self._keys)]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        body = envelope.body
        if envelope.sender != AGGREGATOR or type(body) is not self._expected:
            raise self.unexpected(envelope)
        try:
            reply, self._expected = self._answer(body)
        except ValueError as error:
            raise FaultyParty(
                AGGREGATOR, f"sent {type(body).__name__} that {self.me} refuses: {error}"
            ) from error
        except Abort:
            self._expected = None
            raise
        self.output = True if self._expected is None else None
        return [self.to(AGGREGATOR, reply)]

    def _answer(self, body: Message) -> tuple[Message, type[Message] | None]:
        """The reply, and what may come next; `ValueError` for what an honest aggregator does not send."""
        match body:
            case NeighbourKeys():
                return self._share(body), DeliveredShares
            case DeliveredShares():
                return self._read(body), Participants
            case Participants():
                return self._mask(body), Survivors
            case Survivors():
                self._accept(body)
                if self._terms.malicious:
                    return self._confirm(), Confirmations
                return self._unmask(), None
            case Confirmations():
                self._verify(body)
                return self._unmask(), None
        raise AssertionError(body)

    def _places(self, packed: bytes, among: Collection[int] | None = None) -> list[int]:
        """The places of a set that must hold the node's own and may hold no others than `among`."""
        places = unpack_set(packed, len(self._around))
        if self._place not in places:
            raise ValueError(f"{self.me} itself is missing")
        if among is not None and not all(place in among for place in places):
            raise ValueError("holders came back that were gone")
        return places

    def _enough(self, places: int, what: str) -> None:
        if places < self._terms.threshold:
            raise TooFewParties((), f"{places} {what}, {self._terms.threshold} needed")

    def _share(self, body: NeighbourKeys) -> SealedShares:
        terms = self._terms
        places = self._places(body.present)
        self._enough(len(places), "holders advertised keys")
        peers: dict[int, Peer] = {}
        entries = items(body.keys, len(places), advertised_bytes(malicious=terms.malicious))
        for place, keys in zip(places, map(read_advertised, entries), strict=True):
            if place == self._place:
                if keys != self._keys:
                    raise ValueError(f"it shows other keys for {self.me}")
                continue
            name = terms.group[self._around[place]]
            statement = terms.advertised(name, keys)
            if not terms.signed(name, statement, keys.signature):
                raise ValueError(f"{name} did not sign its keys (rule 4)")
            peers[place] = Peer.met(
                name,
                keys,
                statement,
                self._statement,
                self._secrets.channel,
                first=self._position < self._around[place],
            )
        seeds, masks = (
            split(secret, terms.threshold, len(self._around), self._entropy)
            for secret in (self._secrets.seed, self._secrets.mask)
        )
        self._peers = peers
        self._pairs = {self._place: seeds[self._place] + masks[self._place]}
        return SealedShares(
            b"".join([peer.seal_shares(seeds[place] + masks[place]) for place, peer in peers.items()])
        )

    def _read(self, body: DeliveredShares) -> Complaint:
        places = self._places(body.present, {self._place, *self._peers})
        self._enough(len(places), "holders sent shares")
        places.remove(self._place)
        unreadable = []
        for place, sealed in zip(places, items(body.sealed, len(places), SEALED_BYTES), strict=True):
            peer = self._peers[place]
            try:
                self._pairs[place] = peer.unseal_shares(sealed)
            except ValueError as error:
                unreadable.append(place)
                reason = f"shares of {peer.name} that {self.me} cannot read: {error}"
                self.late_faults.append(FaultyParty(peer.name, reason, (AGGREGATOR,)))
        return Complaint(pack_set(unreadable, len(self._around)))

    def _mask(self, body: Participants) -> MaskedVector:
        """Mask with those who go on, if this node could read what each of them sealed for it."""
        going = self._told(body.members, self._pairs, "nodes go on that sent nothing this node can read")
        self._enough(len(going), "holders go on")
        words = to_ring(self._vector).copy()
        add_mask(words, self._terms.self_mask(self._secrets.seed))
        for place in going:
            if place != self._place:
                self._peers[place].mask_with(words, self._secrets.mask_key)
        self._releases.claim(self.me, self._terms.session)
        self._going = dict.fromkeys(going)
        return MaskedVector(to_bytes(words))

    def _told(self, packed: bytes, among: Collection[int], otherwise: str) -> list[int]:
        """The places of the holders in a set of the group's nodes; they must be `among` some (rule 6)."""
        members = bits_of(packed, len(self._terms.group))
        if members.bit_count() < self._terms.minimum:
            raise ValueError(
                f"a sum of {members.bit_count()} is asked for, {self._terms.minimum} is the least (rule 6)"
            )
        places = [place for place, node in enumerate(self._around) if members >> node & 1]
        if self._place not in places:
            raise ValueError(f"{self.me} itself is missing")
        if not all(place in among for place in places):
            raise ValueError(otherwise)
        return places

    def _accept(self, body: Survivors) -> None:
        """Keep the survivors if this node may help to open their sum (rules 5 and 6)."""
        terms = self._terms
        standing = self._told(body.members, self._going, "nodes survived that did not go on")
        if len(standing) < terms.threshold:
            raise ValueError(f"{len(standing)} holders survived, {terms.threshold} needed (rule 5)")
        self._survived = terms.survived(body.members)
        self._standing = dict.fromkeys(standing)

    def _confirm(self) -> Confirmation:
        others = [self._peers[place] for place in self._standing if place != self._place]
        return Confirmation(b"".join([peer.confirm(self._survived) for peer in others]))

    def _verify(self, body: Confirmations) -> None:
        """At least `threshold` holders, this node among them, were told the same survivors (rule 3)."""
        places = self._places(body.present, self._standing)
        places.remove(self._place)
        valid = 1
        for place, proof in zip(places, items(body.proofs, len(places), PROOF_BYTES), strict=True):
            valid += self._peers[place].confirmed(self._survived, proof)
        if valid < self._terms.threshold:
            raise ValueError(
                f"{valid} holders confirmed these survivors, {self._terms.threshold} needed (rule 3)"
            )

    def _unmask(self) -> Unmasking:
        """One share of each holder's secrets: of its seed if it survived, of its mask key if not (rule 2)."""
        shares = [
            self._pairs[place][:SHARE_BYTES] if place in self._standing else self._pairs[place][SHARE_BYTES:]
            for place in self._going
        ]
        return Unmasking(pack_set(self._going, len(self._around)), b"".join(shares))
