"""A few secret messages each way between two parties, readable and writable only with their key.

AES-256-GCM through `cryptography`. A key is fresh for the session, and both parties know which message
is meant, so its direction and its number are all the nonce that is needed.
"""

from enum import Enum

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

TAG_BYTES = 16


class Direction(Enum):
    """Which of the two parties sealed: the one that both count first, or the other."""

    FROM_FIRST = bytes(8)
    FROM_SECOND = bytes(7) + b"\x01"


def seal(key: bytes, direction: Direction, content: bytes, associated: bytes, number: int = 0) -> bytes:
    """The content, encrypted and bound to `associated`; 16 bytes longer. Empty content is authenticated.

    Call it once for each key, direction and number: a second message would share its keystream.
    """
    return AESGCM(key).encrypt(_nonce(direction, number), content, associated)


def unseal(key: bytes, direction: Direction, sealed: bytes, associated: bytes, number: int = 0) -> bytes:
    """Inverse of `seal`; `ValueError` if anything was changed or belongs elsewhere."""
    try:
        return AESGCM(key).decrypt(_nonce(direction, number), sealed, associated)
    except InvalidTag:
        raise ValueError("the sealed message does not belong here or was changed") from None


def _nonce(direction: Direction, number: int) -> bytes:
    return number.to_bytes(4, "big") + direction.value
