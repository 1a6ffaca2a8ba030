"""A message sealed for the owner of a key, which only that owner opens.

Hybrid: X-Wing, safe while either X25519 or ML-KEM-768 is. Otherwise X25519 with a fresh key for each box.
Then HKDF-SHA-256 over the secret and everything that both sides must agree on, and AES-256-GCM.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.canonical import Canonical, encode
from protocols.entropy import Entropy
from protocols.primitives import sealed as sealed_for
from protocols.primitives import xwing
from protocols.primitives.key_agreement import KEY_BYTES, KeyPair, check_public, exchange, key_pair
from protocols.primitives.sealed import TAG_BYTES, Direction, unseal
from protocols.primitives.xwing import XWingKey, check_xwing
from protocols.tape import UNTAPED, Tape

KeyExchange = Literal["x25519", "hybrid"]
"""What keys come from, the weaker first: X25519 alone, or X25519 and ML-KEM-768 together."""

SEED_BYTES = 32


def check_exchange(kind: str) -> None:
    """Raise `ValueError` if there is no such key exchange."""
    if kind not in get_args(KeyExchange):
        raise ValueError(f"key_exchange must be one of {get_args(KeyExchange)}, got {kind!r}")


def overhead_bytes(kind: KeyExchange) -> int:
    """So much longer is a box than what is in it."""
    return _encapsulated_bytes(kind) + TAG_BYTES


def public_bytes(kind: KeyExchange) -> int:
    """The length of a public key."""
    return xwing.PUBLIC_BYTES if kind == "hybrid" else KEY_BYTES


@dataclass(frozen=True)
class BoxKey:
    """A key pair that boxes are sealed for.

    Parameters
    ----------
    exchange
        What its boxes rest on.
    seed
        32 uniform bytes, used for this key only.
    """

    exchange: KeyExchange
    seed: bytes = field(repr=False)
    _key: XWingKey | KeyPair = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_exchange(self.exchange)
        key = XWingKey(self.seed) if self.exchange == "hybrid" else key_pair(self.seed)
        object.__setattr__(self, "_key", key)

    @property
    def public(self) -> bytes:
        """What others seal for: 1,216 bytes if hybrid, else 32."""
        return self._key.public

    def open(self, box: bytes, purpose: Sequence[Canonical]) -> bytes:
        """Inverse of `seal`; `ValueError` if anything was changed, or is for another key or purpose."""
        if len(box) < overhead_bytes(self.exchange):
            raise ValueError(f"a box has at least {overhead_bytes(self.exchange)} bytes, got {len(box)}")
        size = _encapsulated_bytes(self.exchange)
        encapsulated, sealed = box[:size], box[size:]
        if isinstance(self._key, XWingKey):
            secret = self._key.decapsulate(encapsulated)
        else:
            secret = exchange(self._key, encapsulated)
        key = _key(self.exchange, secret, self.public, encapsulated, purpose)
        return unseal(key, Direction.FROM_FIRST, sealed, encode(purpose))


def check_box_key(kind: KeyExchange, public: bytes) -> None:
    """Raise `ValueError` if `public` is no usable key; one of the other exchange is none."""
    (check_xwing if kind == "hybrid" else check_public)(public)


@dataclass(frozen=True)
class Letter:
    """What is sealed for the owner of a key.

    Attributes
    ----------
    public
        The key.
    content
        What only its owner shall read.
    purpose
        A label, then session, both ends and what else they must agree on, the same on both sides.
    """

    public: bytes
    content: bytes = field(repr=False)
    purpose: Sequence[Canonical]


def seal(kind: KeyExchange, letters: Sequence[Letter], entropy: Entropy, tape: Tape = UNTAPED) -> list[bytes]:
    """A box for each letter, which only the owner of its key opens, for the same purpose.

    It does not say who sealed it: that is the channel's to say, or a statement's in the purpose.

    Parameters
    ----------
    entropy
        For each letter 32 bytes of it are used.
    tape
        Of the party that seals; a hybrid box is not a function of entropy alone.

    Raises
    ------
    ValueError
        If some key is not usable.
    """
    publics = [letter.public for letter in letters]
    if kind == "hybrid":
        encapsulated = [xwing.encapsulate(public, entropy(SEED_BYTES), tape) for public in publics]
    else:
        pairs = [key_pair(entropy(SEED_BYTES)) for _ in publics]
        encapsulated = [
            (mine.public, exchange(mine, public)) for mine, public in zip(pairs, publics, strict=True)
        ]
    boxes = []
    for letter, (opening, secret) in zip(letters, encapsulated, strict=True):
        key = _key(kind, secret, letter.public, opening, letter.purpose)
        sealed = sealed_for.seal(key, Direction.FROM_FIRST, letter.content, encode(letter.purpose))
        boxes.append(opening + sealed)
    return boxes


def _encapsulated_bytes(kind: KeyExchange) -> int:
    return xwing.CIPHERTEXT_BYTES if kind == "hybrid" else KEY_BYTES


def _key(kind: str, secret: bytes, public: bytes, encapsulated: bytes, purpose: Sequence[Canonical]) -> bytes:
    bound = encode(("securenb box", kind, public, encapsulated, list(purpose)))
    return HKDF(SHA256(), 32, None, bound).derive(secret)
