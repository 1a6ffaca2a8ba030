"""Seeds of masks, sealed by a node for one holder: X25519, HKDF and an authenticated cipher."""

from collections.abc import Sequence

from protocols.canonical import Canonical, digest, encode
from protocols.primitives.key_agreement import KeyPair, agree, check_public
from protocols.primitives.sealed import Direction, seal, unseal

SEED_BYTES = 32
TAG_BYTES = 16


def _key(mine: KeyPair, public: bytes, purpose: Sequence[Canonical]) -> bytes:
    check_public(public)
    return agree(mine, public, "securenb seed box", *purpose)


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
    key = _key(mine, public, purpose)
    return seal(key, Direction.FROM_FIRST, b"".join(seeds), encode(purpose))


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
    seeds = unseal(_key(mine, public, purpose), Direction.FROM_FIRST, box, encode(purpose))
    if len(seeds) % SEED_BYTES:
        raise ValueError(f"the box holds {len(seeds)} bytes, no whole number of seeds")
    return tuple(seeds[at : at + SEED_BYTES] for at in range(0, len(seeds), SEED_BYTES))


def seed_tag(session_digest: bytes, node: str, seed: bytes) -> bytes:
    """16 bytes by which holders of the same seed can be seen to have the same; they do not tell it."""
    return digest("securenb seed tag", session_digest, node, seed)[:TAG_BYTES]
