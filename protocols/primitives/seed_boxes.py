"""Seeds of masks, sealed by a node for one holder: X25519, HKDF and ChaCha20-Poly1305 (RFC 8439)."""

from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from protocols.canonical import digest, encode
from protocols.primitives.key_agreement import KeyPair, agree, check_public

SEED_BYTES = 32
TAG_BYTES = 16

_NONCE = bytes(12)  # each key seals one box only: the node's half of it is fresh


def _cipher(mine: KeyPair, public: bytes, purpose: Sequence[bytes | str]) -> ChaCha20Poly1305:
    check_public(public)
    return ChaCha20Poly1305(agree(mine, public, "securenb seed box", *purpose))


def seal_seeds(
    mine: KeyPair, public: bytes, session_digest: bytes, node: str, holder: str, seeds: Sequence[bytes]
) -> bytes:
    """The box from `node`, with the fresh key `mine`, to `holder`, with the key `public`.

    Raises
    ------
    ValueError
        If `public` is no usable key.
    """
    purpose = (session_digest, node, holder)
    return _cipher(mine, public, purpose).encrypt(_NONCE, b"".join(seeds), encode(purpose))


def open_seeds(
    mine: KeyPair, public: bytes, session_digest: bytes, node: str, holder: str, box: bytes
) -> tuple[bytes, ...]:
    """The seeds in a box that `node`, with the key `public`, sealed for `holder`, with the key `mine`.

    Raises
    ------
    ValueError
        If the box does not open, for whatever reason, or holds no whole number of seeds.
    """
    purpose = (session_digest, node, holder)
    try:
        seeds = _cipher(mine, public, purpose).decrypt(_NONCE, box, encode(purpose))
    except InvalidTag:
        raise ValueError("the box does not open") from None
    if len(seeds) % SEED_BYTES:
        raise ValueError(f"the box holds {len(seeds)} bytes, no whole number of seeds")
    return tuple(seeds[at : at + SEED_BYTES] for at in range(0, len(seeds), SEED_BYTES))


def seed_tag(session_digest: bytes, node: str, seed: bytes) -> bytes:
    """16 bytes by which holders of the same seed can be seen to have the same; they do not tell it."""
    return digest("securenb seed tag", session_digest, node, seed)[:TAG_BYTES]
