"""What nodes and aggregator say to each other, in the order of the stages.

Lists of fixed-size items travel as one byte string; which items are there is said by a set of places
(bit i, counted from the lowest of the first byte, for place i). A node's places are its holders in the
order of `Neighbourhoods.around`, itself included.
"""

from collections.abc import Iterable, Iterator

from protocols.primitives.identity import SIGNATURE_BYTES
from protocols.primitives.key_agreement import KEY_BYTES
from protocols.primitives.sealed import TAG_BYTES
from protocols.primitives.shamir import SHARE_BYTES
from protocols.wire import Message

COMMITMENT_BYTES = 32
SEALED_BYTES = 2 * SHARE_BYTES + TAG_BYTES
PROOF_BYTES = TAG_BYTES


class Keys(Message, frozen=True):
    """Node, first: two ephemeral keys and a commitment to the seed of its self-mask, signed if malicious."""

    channel: bytes
    mask: bytes
    commitment: bytes
    signature: bytes


class NeighbourKeys(Message, frozen=True):
    """Aggregator: which holders advertised keys, and the four fields that each of them sent."""

    present: bytes
    keys: bytes


class SealedShares(Message, frozen=True):
    """Node: one sealed pair of shares (self-mask seed, mask key) for each other present holder."""

    sealed: bytes


class DeliveredShares(Message, frozen=True):
    """Aggregator: which holders sent shares, and the sealed pair that each other one sent this node."""

    present: bytes
    sealed: bytes


class Complaint(Message, frozen=True):
    """Node: the holders whose sealed pair it cannot read; mostly none."""

    unreadable: bytes


class Participants(Message, frozen=True):
    """Aggregator: the nodes of the group (a set of positions in it) that go on: to mask with, and to sum."""

    members: bytes


class MaskedVector(Message, frozen=True):
    """Node: its vector plus all its masks, 8·d bytes."""

    words: bytes


class Survivors(Message, frozen=True):
    """Aggregator: the nodes of the group (a set of positions in it) whose vectors are summed."""

    members: bytes


class Confirmation(Message, frozen=True):
    """Node, malicious profile only: for each other surviving holder, a proof of the survivors it was told."""

    proofs: bytes


class Confirmations(Message, frozen=True):
    """Aggregator, malicious profile only: which holders confirmed, and the proof of each other one."""

    present: bytes
    proofs: bytes


class Unmasking(Message, frozen=True):
    """Node, last: for each present place one share, of a survivor's seed or of a silent node's mask key.

    A place is absent if its holder was not among the participants.
    """

    present: bytes
    shares: bytes


MESSAGES = (
    Keys,
    NeighbourKeys,
    SealedShares,
    DeliveredShares,
    Complaint,
    Participants,
    MaskedVector,
    Survivors,
    Confirmation,
    Confirmations,
    Unmasking,
)


def advertised_bytes(*, malicious: bool) -> int:
    """What one node takes in `NeighbourKeys`."""
    return 2 * KEY_BYTES + COMMITMENT_BYTES + (SIGNATURE_BYTES if malicious else 0)


def advertised(keys: Keys) -> bytes:
    """What one node sent, as it stands in `NeighbourKeys`."""
    return keys.channel + keys.mask + keys.commitment + keys.signature


def read_advertised(entry: bytes) -> Keys:
    """Inverse of `advertised`, for an entry of the right length."""
    ends = (KEY_BYTES, 2 * KEY_BYTES, 2 * KEY_BYTES + COMMITMENT_BYTES)
    return Keys(entry[: ends[0]], entry[ends[0] : ends[1]], entry[ends[1] : ends[2]], entry[ends[2] :])


def pack_set(places: Iterable[int], size: int) -> bytes:
    """A set of places 0 … size - 1 as (size + 7) // 8 bytes."""
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits.to_bytes((size + 7) // 8, "little")


def bits_of(packed: bytes, size: int) -> int:
    """A set as an integer, bit i for place i; `ValueError` for another length or a place out of range."""
    bits = int.from_bytes(packed, "little")
    if len(packed) != (size + 7) // 8 or bits >> size:
        raise ValueError(f"{len(packed)} bytes are no set of {size} places")
    return bits


def unpack_set(packed: bytes, size: int) -> list[int]:
    """Inverse of `pack_set`, in order; `ValueError` as `bits_of`."""
    return [place for place, bit in enumerate(reversed(f"{bits_of(packed, size):b}")) if bit == "1"]


def items(packed: bytes, count: int, size: int) -> Iterator[bytes]:
    """The `count` items of `size` bytes each; `ValueError` if there are more or fewer bytes."""
    if len(packed) != count * size:
        raise ValueError(f"{len(packed)} bytes are not {count} items of {size}")
    return (packed[at : at + size] for at in range(0, len(packed), size))
