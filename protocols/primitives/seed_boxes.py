"""Seeds of masks, sealed by a node for one holder."""

from collections.abc import Sequence

from protocols.canonical import Canonical, digest
from protocols.primitives.box import BoxKey, Letter

SEED_BYTES = 32
TAG_BYTES = 16


def _purpose(session_digest: bytes, node: str, holder: str) -> Sequence[Canonical]:
    return ("securenb seeds", session_digest, node, holder)


def seeds_for(public: bytes, session_digest: bytes, node: str, holder: str, seeds: Sequence[bytes]) -> Letter:
    """What `node` seals for `holder`, with the key `public`."""
    return Letter(public, b"".join(seeds), _purpose(session_digest, node, holder))


def open_seeds(mine: BoxKey, session_digest: bytes, node: str, holder: str, box: bytes) -> tuple[bytes, ...]:
    """The seeds in a box that `node` sealed for `holder`, with the key `mine`.

    Raises
    ------
    ValueError
        If the box does not open, for whatever reason, or holds no whole number of seeds.
    """
    seeds = mine.open(box, _purpose(session_digest, node, holder))
    if len(seeds) % SEED_BYTES:
        raise ValueError(f"the box holds {len(seeds)} bytes, no whole number of seeds")
    return tuple(seeds[at : at + SEED_BYTES] for at in range(0, len(seeds), SEED_BYTES))


def seed_tag(session_digest: bytes, node: str, seed: bytes) -> bytes:
    """16 bytes by which holders of the same seed can be seen to have the same; they do not tell it."""
    return digest("securenb seed tag", session_digest, node, seed)[:TAG_BYTES]
