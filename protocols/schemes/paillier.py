"""Nodes encrypt under the key of a separate key holder, who decrypts nothing but sums of groups.

The key holder makes a key for this session and publishes it once the aggregator has it. Nodes encrypt
their packed vectors and send them to the aggregator, who multiplies the ciphertexts of each group and
re-randomises the products; the key holder decrypts, checks and unpacks them and returns sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gmpy2 import mpz
from phe import PaillierPrivateKey

from protocols.entropy import Entropy, hedged
from protocols.errors import FaultyParty, TooFewParties, blaming
from protocols.opened import Lost, Opened, check_members, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.paillier import (
    Ciphertexts,
    PublicKey,
    ciphertexts_from_bytes,
    ciphertexts_to_bytes,
    decrypt,
    encrypt,
    generate,
    key_pair_from_bytes,
    key_pair_to_bytes,
    product,
)
from protocols.primitives.randomisers import Pool, short_randomisers, uniform_randomisers
from protocols.protocol import Claims
from protocols.releases import Releases
from protocols.ring import Integers, from_ring, received, to_bytes, to_ring
from protocols.schemes._paillier.packed import Key, PackedPaillier, Ready
from protocols.session import Session
from protocols.wire import Message

KEY_HOLDER: PartyId = "key-holder"


class Sealed(Message, frozen=True):
    """A node's encrypted vector: ciphertexts of bits / 4 bytes each."""

    ciphertexts: bytes


class Product(Message, frozen=True):
    """The encrypted sum of those members of a group who answered."""

    group: int
    members: tuple[str, ...]
    ciphertexts: bytes


class Products(Message, frozen=True):
    """What the aggregator asks the key holder to open, in one go."""

    products: tuple[Product, ...]


class Sum(Message, frozen=True):
    """An opened sum, 8·d bytes."""

    words: bytes


class Refusal(Message, frozen=True):
    """Why a sum was not opened, without a word about what was in it."""

    reason: str


class Sums(Message, frozen=True):
    """The key holder's answer, in the order of the products."""

    sums: tuple[Sum | Refusal, ...]


class _Node(Party):
    def __init__(self, protocol: "Paillier", me: PartyId, packed: list[mpz], entropy: Entropy) -> None:
        super().__init__(me)
        self._protocol = protocol
        self._packed = packed
        self._entropy = entropy

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Key() as message if envelope.sender == KEY_HOLDER and self.output is None:
                key = self._protocol.read_key(envelope.sender, message)
            case _:
                raise self.unexpected(envelope)
        randomisers = self._protocol.randomisers(key, len(self._packed), self._entropy)
        sealed = encrypt(key, self._packed, randomisers)
        self.output = True
        return [self.to(AGGREGATOR, Sealed(ciphertexts_to_bytes(key, sealed)))]


class _KeyHolder(Party):
    def __init__(self, protocol: "Paillier", session: Session, entropy: Entropy) -> None:
        super().__init__(KEY_HOLDER)
        self._protocol = protocol
        self._session = session
        self._entropy = entropy
        self._private: PaillierPrivateKey | None = None
        self._published = False

    def start(self) -> list[Envelope]:
        if self._private is None:
            self._key, self._private = generate(self._protocol.bits, self._entropy)
        return [self.to(AGGREGATOR, Key(*self._key.to_bytes()))]

    def costly(self) -> bytes:
        return b"" if self._private is None else key_pair_to_bytes(self._key, self._private)

    def recall(self, costly: bytes) -> None:
        self._key, self._private = key_pair_from_bytes(costly)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        if envelope.sender != AGGREGATOR:
            raise self.unexpected(envelope)
        match envelope.body:
            case Ready() if not self._published:
                self._published = True
                return [self.to(node, Key(*self._key.to_bytes())) for node in self._session.nodes]
            case Products() as asked if self._published and self._private is not None:
                requests = [self._request(product) for product in asked.products]
                groups = [product.group for product in asked.products]
                if not groups or len(set(groups)) != len(groups):
                    raise FaultyParty(AGGREGATOR, "asked for no group, or for one twice")
                if self._protocol.releases is not None:
                    self._protocol.releases.claim(self.me, self._session)
                private, self._private = self._private, None
                self.output = True
                return [self.to(AGGREGATOR, Sums(tuple(self._open(private, *each) for each in requests)))]
            case _:
                raise self.unexpected(envelope)

    def _request(self, product: Product) -> tuple[int, Ciphertexts]:
        """How many contributors are claimed, and the valid ciphertexts; blames the aggregator otherwise."""
        count = self._protocol.slots(self._session).plaintexts
        with blaming(AGGREGATOR, "asked for what is not opened"):
            check_members(self._session, product.group, product.members, self._protocol.survivors)
            return len(product.members), ciphertexts_from_bytes(self._key, product.ciphertexts, count)

    def _open(self, private: PaillierPrivateKey, contributors: int, sealed: Ciphertexts) -> Sum | Refusal:
        slots = self._protocol.slots(self._session)
        try:
            row = slots.unpack(decrypt(self._key, private, sealed), self._key.n, contributors)
        except ValueError as error:
            return Refusal(str(error))
        return Sum(to_bytes(to_ring(row)))


class _Aggregator(Party):
    def __init__(self, protocol: "Paillier", session: Session, entropy: Entropy) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._entropy = entropy
        self._key: PublicKey | None = None
        self._sealed: Intake[Ciphertexts] = Intake(session.nodes)
        self._asked: list[Product] | None = None
        self._lost: list[Lost] = []

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Key() as message if sender == KEY_HOLDER and self._key is None:
                self._key = self._protocol.read_key(sender, message)
                return [self.to(KEY_HOLDER, Ready())]
            case Sealed() as sealed if self._key is not None and self._asked is None:
                self._sealed.check(sender)
                self._sealed.admit(sender, self._read(self._key, sender, sealed))
                return self._ask(self._key) if self._sealed.complete else []
            case Sums() as sums if sender == KEY_HOLDER and self._asked is not None and self.output is None:
                self.output = self._opened(self._asked, sums)
                return []
            case _:
                raise self.unexpected(envelope)

    def deadline(self) -> list[Envelope]:
        if self._key is None or self._asked is not None:
            raise TooFewParties([KEY_HOLDER], "the key holder is silent")
        if not self._sealed.received:
            parties = [KEY_HOLDER, *self._session.nodes]
            raise TooFewParties(
                parties, "no node has encrypted anything; nodes have the key from the key holder"
            )
        return self._ask(self._key)

    def _read(self, key: PublicKey, sender: PartyId, sealed: Sealed) -> Ciphertexts:
        count = self._protocol.slots(self._session).plaintexts
        # the key holder may have given this node another key
        with blaming(sender, "sent malformed ciphertexts", (KEY_HOLDER,)):
            return ciphertexts_from_bytes(key, sealed.ciphertexts, count)

    def _ask(self, key: PublicKey) -> list[Envelope]:
        """Multiply what arrived and have it opened; `TooFewParties` if no group has enough."""
        sealed = self._sealed.received
        members, self._lost = enough_present(self._session, sealed.keys(), self._protocol.survivors)
        count = self._protocol.slots(self._session).plaintexts
        pool = Pool(self._protocol.randomisers(key, len(members) * count, self._entropy))
        self._asked = []
        for group, present in members.items():
            together = product(key, [sealed[node] for node in present])
            hidden = product(key, [together, pool.take(count)])
            self._asked.append(Product(group, present, ciphertexts_to_bytes(key, hidden)))
        return [self.to(KEY_HOLDER, Products(tuple(self._asked)))]

    def _opened(self, asked: Sequence[Product], sums: Sums) -> Opened:
        if len(sums.sums) != len(asked):
            raise FaultyParty(KEY_HOLDER, f"answered {len(sums.sums)} of {len(asked)} requests")
        rows, members, lost = [], [], list(self._lost)
        for request, answer in zip(asked, sums.sums, strict=True):
            if isinstance(answer, Refusal):
                lost.append(Lost(request.group, (), answer.reason))
                continue
            row = received(KEY_HOLDER, answer.words, self._session.length)
            most = self._protocol.slots(self._session).largest_sum(len(request.members))
            if max(from_ring(row).max(), -int(from_ring(row).min())) > most:
                raise FaultyParty(KEY_HOLDER, f"sent a sum beyond ±{most}")
            rows.append(row)
            members.append(request.members)
        return opened_rows(self._session, rows, members, lost)


@dataclass(frozen=True)
class Paillier(PackedPaillier):
    """Additively homomorphic encryption with a separate key holder.

    Parameters
    ----------
    uniform_randomness
        Whether every ciphertext is hidden by an n-th power of a random unit, which needs no assumption
        beyond Paillier's but costs several times more, rather than by a short power.
    releases
        Where the key holder keeps what it released, so that no session is released twice. `None`: runs know
        nothing of one another, as in a simulation.
    """

    uniform_randomness: bool = False
    releases: Releases | None = field(default=None, repr=False, compare=False)

    claims = Claims(
        sees="sums",
        trust="aggregator and key holder, not to collude; the key holder, not to read the nodes' channels",
        dropouts="nodes: the others are summed, down to the threshold; the key holder: no result",
        malicious_aggregator="may have one node's vector opened instead of a group's sum",
        source="Paillier, EUROCRYPT 1999; short randomisers: Damgård, Jurik, Nielsen 2010",
    )
    messages = (Key, Ready, Sealed, Products, Sums)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; its entropy randomises the ciphertexts."""
        return _Node(self, me, self.slots(session).pack(vector), hedged(entropy, session.digest, me))

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; its entropy re-randomises the products."""
        return _Aggregator(self, session, entropy)

    def trustee_ids(self, nodes: Sequence[PartyId]) -> tuple[PartyId, ...]:
        """The key holder."""
        return (KEY_HOLDER,)

    def trustee(self, me: PartyId, session: Session, entropy: Entropy) -> Party:
        """The key holder; its entropy makes the key."""
        return _KeyHolder(self, session, entropy)

    def randomisers(self, key: PublicKey, count: int, entropy: Entropy) -> list[mpz]:
        """Fresh randomisers of the kind that was asked for."""
        make = uniform_randomisers if self.uniform_randomness else short_randomisers
        return make(key, count, entropy)
