"""Two parties with one public key each end up with the same secret keys: X25519 and HKDF-SHA-256.

Sources: RFC 7748 (X25519), RFC 5869 (HKDF). The arithmetic is `cryptography`'s.
"""

from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.canonical import Canonical, encode

KEY_BYTES = 32

_PRIME = 2**255 - 19
# u-coordinates of the points whose order divides 8: with them any observer can compute the "secret"
_SMALL_ORDER = frozenset(
    {
        0,
        1,
        _PRIME - 1,
        325606250916557431795983626356110631294008115727848805560023387167927233504,
        39382357235489614581723060781553021112529911719440698176882885853963445705823,
    }
)


@dataclass(frozen=True, slots=True)
class KeyPair:
    """An ephemeral X25519 key: the secret half stays with its owner."""

    secret: X25519PrivateKey
    public: bytes


def key_pair(seed: bytes) -> KeyPair:
    """The key whose secret scalar is `seed`: 32 uniform bytes, used for this key only."""
    secret = X25519PrivateKey.from_private_bytes(seed)
    return KeyPair(secret, secret.public_key().public_bytes_raw())


def check_public(public: bytes) -> None:
    """Raise `ValueError` if `public` is not 32 bytes or is a point of small order."""
    if len(public) != KEY_BYTES:
        raise ValueError(f"a public key has {KEY_BYTES} bytes, got {len(public)}")
    coordinate = int.from_bytes(public, "little") & (2**255 - 1)
    if coordinate % _PRIME in _SMALL_ORDER:
        raise ValueError("the public key has small order: any observer could compute the shared secret")


def exchange(mine: KeyPair, public: bytes) -> bytes:
    """The 32 bytes of X25519 that the two owners share: never a key as they are, only part of what makes one.

    Raises
    ------
    ValueError
        If `public` is not a usable key; its sender is to blame.
    """
    check_public(public)
    return mine.secret.exchange(X25519PublicKey.from_public_bytes(public))


def agree(mine: KeyPair, public: bytes, *purpose: Canonical) -> bytes:
    """The 32-byte key that the owners of `mine` and of `public` share for `purpose`.

    Parameters
    ----------
    purpose
        A label, then everything that both sides must agree on (session digest, both names, both public
        keys), in the same order on both sides. Keys for different purposes are independent.

    Raises
    ------
    ValueError
        If `public` is not a usable key; its sender is to blame.
    """
    secret = mine.secret.exchange(X25519PublicKey.from_public_bytes(public))
    return HKDF(SHA256(), KEY_BYTES, None, encode(purpose)).derive(secret)
