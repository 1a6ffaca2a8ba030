"""One secret message each way between two parties, readable and writable only with their key.

AES-256-GCM through `cryptography`. A key seals at most two messages, one for each direction, so the
direction is all the nonce that is needed.
"""

from enum import Enum

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

TAG_BYTES = 16


class Direction(Enum):
    """Which of the two parties sealed: the one that both count first, or the other."""

    FROM_FIRST = bytes(12)
    FROM_SECOND = bytes(11) + b"\x01"


def seal(key: bytes, direction: Direction, content: bytes, associated: bytes) -> bytes:
    """The content, encrypted and bound to `associated`; 16 bytes longer.

    Call it once for each key and direction: a second message would share its keystream.
    """
    return AESGCM(key).encrypt(direction.value, content, associated)


def unseal(key: bytes, direction: Direction, sealed: bytes, associated: bytes) -> bytes:
    """Inverse of `seal`; `ValueError` if anything was changed or belongs elsewhere."""
    try:
        return AESGCM(key).decrypt(direction.value, sealed, associated)
    except InvalidTag:
        raise ValueError("the sealed message does not belong here or was changed") from None
