"""A message sealed for the owner of an X-Wing key: safe while either X25519 or ML-KEM-768 is.

X-Wing, HKDF-SHA-256 over the secret and everything that both sides must agree on, and AES-256-GCM.
"""

from collections.abc import Sequence

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.canonical import Canonical, encode
from protocols.primitives.sealed import TAG_BYTES, Direction, seal, unseal
from protocols.primitives.xwing import CIPHERTEXT_BYTES, XWingKey, encapsulate

OVERHEAD_BYTES = CIPHERTEXT_BYTES + TAG_BYTES
"""So much longer is a box than what is in it."""


def seal_for(public: bytes, content: bytes, purpose: Sequence[Canonical], ephemeral: bytes) -> bytes:
    """A box that only the owner of `public` opens, for the same purpose.

    It does not say who sealed it: put into `purpose` what proves that, such as signed statements.

    Parameters
    ----------
    purpose
        A label, then session, both ends and their keys, in the same order on both sides.
    ephemeral
        32 uniform bytes, used once.

    Raises
    ------
    ValueError
        If `public` is no usable key.
    """
    ciphertext, secret = encapsulate(public, ephemeral)
    key = _key(secret, public, ciphertext, purpose)
    return ciphertext + seal(key, Direction.FROM_FIRST, content, encode(purpose))


def open_box(mine: XWingKey, box: bytes, purpose: Sequence[Canonical]) -> bytes:
    """Inverse of `seal_for`; `ValueError` if anything was changed, or is for another key or purpose."""
    if len(box) < OVERHEAD_BYTES:
        raise ValueError(f"a box has at least {OVERHEAD_BYTES} bytes, got {len(box)}")
    ciphertext, sealed = box[:CIPHERTEXT_BYTES], box[CIPHERTEXT_BYTES:]
    key = _key(mine.decapsulate(ciphertext), mine.public, ciphertext, purpose)
    return unseal(key, Direction.FROM_FIRST, sealed, encode(purpose))


def _key(secret: bytes, public: bytes, ciphertext: bytes, purpose: Sequence[Canonical]) -> bytes:
    bound = encode(("securenb hybrid box", public, ciphertext, list(purpose)))
    return HKDF(SHA256(), 32, None, bound).derive(secret)
