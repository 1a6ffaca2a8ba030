"""What the Paillier protocols share: the key on the wire, its size, and how vectors are packed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from protocols.errors import blaming
from protocols.parameters import elsewhere
from protocols.party import PartyId
from protocols.primitives.packing import Slots
from protocols.primitives.paillier import PublicKey
from protocols.protocol import Protocol
from protocols.ring import WORD_BYTES
from protocols.session import Session
from protocols.wire import Message

SECURE_BITS = 2048

KEY_SECONDS = 300.0
"""What a key of 3072 bits may take: one of a quiet core needs 5 s in the mean, twice as much in one of ten
cases, and a busy machine several times that. With the bits it grows as their fourth power."""


class Key(Message, frozen=True):
    """The session's public key, bits / 8 and bits / 4 bytes."""

    n: bytes
    base: bytes


class Ready(Message, frozen=True):
    """The aggregator has the key, so nodes may have it."""


@dataclass(frozen=True)
class PackedPaillier(Protocol):
    """A protocol whose nodes send packed vectors, encrypted under one key of the session.

    Parameters
    ----------
    bits
        Bits of the modulus, at least 2048.
    insecure_bits
        Allows a modulus of fewer bits, which can be factored: for tests only.

    Raises
    ------
    ValueError
        If the modulus is too small, or its bits are no multiple of 16.
    """

    bits: int = 3072
    insecure_bits: bool = field(default=False, metadata=elsewhere("it is for tests only"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits < SECURE_BITS and not self.insecure_bits:
            raise ValueError(f"a modulus of {self.bits} bits is insecure; at least {SECURE_BITS} are needed")
        if self.bits < 128 or self.bits % 16:
            raise ValueError(f"a modulus has a multiple of 16 bits, at least 128, got {self.bits}")

    @classmethod
    def for_tests(cls) -> Self:
        """See `Protocol.for_tests`: a modulus of 256 bits."""
        return cls(bits=256, insecure_bits=True)

    @property
    def makes_keys(self) -> Mapping[PartyId, float]:
        """See `Protocol.makes_keys`: the first trustee, key holder or dealer."""
        return {self.trustee_ids(())[0]: KEY_SECONDS * (self.bits / type(self).bits) ** 4}

    def check(self, session: Session) -> None:
        """See `Protocol.check`; also refuses slots that do not fit into a plaintext."""
        super().check(session)
        self.slots(session)

    def sealed_bytes(self, session: Session) -> int:
        """Bytes of one encrypted vector."""
        return self.slots(session).plaintexts * self.bits // 4

    def frame_limit(self, session: Session) -> int:
        """See `Protocol.frame_limit`; the largest frame holds an encrypted vector for each group."""
        row = self.sealed_bytes(session) + WORD_BYTES * session.length
        return super().frame_limit(session) + len(session.groups) * row

    def slots(self, session: Session) -> Slots:
        """How vectors of the session are packed."""
        return Slots(session.length, session.capacity, self.bits)

    def read_key(self, sender: PartyId, message: Key) -> PublicKey:
        """The key in a message, or `FaultyParty`."""
        with blaming(sender, "sent a bad key"):
            return PublicKey.from_bytes(message.n, message.base, self.bits)
