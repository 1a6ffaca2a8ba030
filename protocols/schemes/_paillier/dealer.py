"""Who makes the key of the protocol `threshold_paillier` and deals it, and what is said to and by it."""

from typing import Protocol as Interface

from protocols.canonical import Canonical
from protocols.entropy import Entropy
from protocols.errors import TooFewParties, blaming
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.box import KeyExchange, Letter, check_box_key, seal
from protocols.primitives.packing import Slots
from protocols.primitives.paillier import ciphertexts_to_bytes
from protocols.primitives.shared_decryption import SharedKey, deal
from protocols.schemes._paillier.packed import Key, Ready
from protocols.session import Session
from protocols.wire import Message

DEALER: PartyId = "dealer"


class HolderKey(Message, frozen=True):
    """A holder's ephemeral public key: 1,216 bytes if hybrid, else 32."""

    public: bytes


class Dealt(Message, frozen=True):
    """The public key, the base of the checks, and a check for each holder."""

    key: Key
    base: bytes
    checks: tuple[bytes, ...]


class Share(Message, frozen=True):
    """What was dealt, and a share sealed for its holder."""

    dealt: Dealt
    sealed: bytes


class Terms(Interface):
    """What dealer and holders must know of the protocol."""

    @property
    def bits(self) -> int:
        """Bits of the modulus."""

    @property
    def holders(self) -> int:
        """How many hold a share."""

    @property
    def quorum(self) -> int:
        """How many decrypt together."""

    @property
    def key_exchange(self) -> KeyExchange:
        """What shares are sealed with."""

    def survivors(self, size: int) -> int:
        """See `Protocol.survivors`."""

    def slots(self, session: Session) -> Slots:
        """How vectors are packed."""

    def read_dealt(self, message: Dealt) -> SharedKey:
        """What was dealt; `FaultyParty` if it is malformed."""


def share_purpose(session: Session, holder: PartyId) -> tuple[Canonical, ...]:
    """What the box of a holder's share is for."""
    return ("securenb threshold paillier share", session.digest, holder)


class Dealer(Party):
    """Makes the key, deals it, and publishes its public half once the aggregator has it."""

    def __init__(self, terms: Terms, session: Session, entropy: Entropy) -> None:
        super().__init__(DEALER)
        self._terms = terms
        self._session = session
        self._entropy = entropy
        self._keys: Intake[bytes] = Intake(session.trustees[1:])
        self._key: Key | None = None

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        match envelope.body:
            case HolderKey(public) if self._key is None:
                self._keys.check(envelope.sender)
                with blaming(envelope.sender, "sent an unusable key"):
                    check_box_key(self._terms.key_exchange, public)
                self._keys.admit(envelope.sender, public)
                return self._deal() if self._keys.complete else []
            case Ready() if envelope.sender == AGGREGATOR and self._key is not None and not self.output:
                self.output = True
                return [self.to(node, self._key) for node in self._session.nodes]
            case _:
                raise self.unexpected(envelope)

    def deadline(self) -> list[Envelope]:
        """See `Party.deadline`: deals to those who are there, if they are a quorum."""
        if self._key is not None:
            return []
        if len(self._keys.received) < self._terms.quorum:
            raise TooFewParties(self._keys.missing, f"{self._terms.quorum} holders are needed")
        return self._deal()

    def _deal(self) -> list[Envelope]:
        terms, session = self._terms, self._session
        key, shares = deal(terms.bits, terms.holders, terms.quorum, self._entropy)
        self._key = Key(*key.public.to_bytes())
        base, *checks = (ciphertexts_to_bytes(key.public, [value]) for value in (key.base, *key.checks))
        dealt = Dealt(self._key, base, tuple(checks))
        envelopes = [self.to(AGGREGATOR, dealt)]
        letters = {
            holder: Letter(
                self._keys.received[holder],
                share.to_bytes(terms.bits // 4, "big"),
                share_purpose(session, holder),
            )
            for holder, share in zip(session.trustees[1:], shares, strict=True)
            if holder in self._keys.received
        }
        boxes = seal(terms.key_exchange, list(letters.values()), self._entropy, self.tape)
        envelopes += [self.to(holder, Share(dealt, box)) for holder, box in zip(letters, boxes, strict=True)]
        return envelopes
