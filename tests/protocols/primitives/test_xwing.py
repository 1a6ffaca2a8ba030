"""X-Wing against the vectors of its draft, and boxes sealed with it."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey

from protocols.primitives.hybrid_box import OVERHEAD_BYTES, open_box, seal_for
from protocols.primitives.key_agreement import key_pair
from protocols.primitives.xwing import (
    CIPHERTEXT_BYTES,
    PUBLIC_BYTES,
    XWingKey,
    check_xwing,
    encapsulate,
)

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "xwing.json").read_text())["vectors"]
MINE, OTHER = XWingKey(bytes(range(32))), XWingKey(bytes(32))
EPHEMERAL = bytes(range(32, 64))
PURPOSE = ("shares", b"session", "node-1", "node-2")


@pytest.mark.parametrize("vector", VECTORS)
def test_known_answers(vector):
    given = {name: bytes.fromhex(value) for name, value in vector.items()}
    key = XWingKey(given["seed"])
    assert key.public == given["pk"]
    assert key.decapsulate(given["ct"]) == given["ss"]
    # the draft's encapsulation draws the X25519 half last
    assert encapsulate(given["pk"], given["eseed"][32:])[0][-32:] == given["ct"][-32:]


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("byte", [0, 500, 1087, 1088, 1119])
def test_of_a_changed_ciphertext_comes_another_secret(vector, byte):
    changed = bytearray.fromhex(vector["ct"])
    changed[byte] ^= 1
    key = XWingKey(bytes.fromhex(vector["seed"]))
    assert key.decapsulate(bytes(changed)).hex() != vector["ss"]


def test_both_halves_count():
    """Whoever knows one half of a key only does not get the secret."""
    ciphertext, secret = encapsulate(MINE.public, EPHEMERAL)
    assert MINE.decapsulate(ciphertext) == secret
    for own, foreign in ((MINE, OTHER), (OTHER, MINE)):
        mixed = XWingKey(bytes(32))
        object.__setattr__(mixed, "_lattice", own._lattice)
        object.__setattr__(mixed, "_curve", foreign._curve)
        assert mixed.decapsulate(ciphertext) != secret


def test_encapsulations_differ():
    (one, first), (two, second) = encapsulate(MINE.public, EPHEMERAL), encapsulate(MINE.public, EPHEMERAL)
    assert one != two
    assert first != second
    assert len(one) == CIPHERTEXT_BYTES == 1120
    assert len(MINE.public) == PUBLIC_BYTES == 1216


@pytest.mark.parametrize(
    "public",
    [
        b"",
        MINE.public[:-1],
        MINE.public + b"\0",
        MINE.public[:-32] + bytes(32),  # a point of small order
        b"\xff" * 1184 + MINE.public[-32:],  # coefficients that are no residues
        MLKEM768PrivateKey.generate().public_key().public_bytes_raw(),  # the lattice alone
        key_pair(bytes(32)).public,  # the curve alone
    ],
)
def test_what_is_no_key_is_refused(public):
    with pytest.raises(ValueError, match="bytes|order|key"):
        check_xwing(public)
    with pytest.raises(ValueError, match="bytes|order|key"):
        seal_for(public, b"", PURPOSE, EPHEMERAL)


def test_seeds_and_ciphertexts_of_another_length_are_refused():
    with pytest.raises(ValueError, match="32 bytes, got 31"):
        XWingKey(bytes(31))
    with pytest.raises(ValueError, match="1120 bytes, got 1119"):
        MINE.decapsulate(bytes(1119))
    with pytest.raises(ValueError, match="small order"):
        MINE.decapsulate(encapsulate(MINE.public, EPHEMERAL)[0][:-32] + bytes(32))


@pytest.mark.parametrize("content", [b"", b"x", bytes(64), bytes(100_000)])
def test_a_box_opens_for_its_owner_and_purpose_only(content):
    box = seal_for(MINE.public, content, PURPOSE, EPHEMERAL)
    assert len(box) == len(content) + OVERHEAD_BYTES
    assert open_box(MINE, box, PURPOSE) == content
    for key, purpose in ((OTHER, PURPOSE), (MINE, PURPOSE[:-1]), (MINE, (*PURPOSE[:-1], "node-3"))):
        with pytest.raises(ValueError, match="does not belong here"):
            open_box(key, box, purpose)


@pytest.mark.parametrize("at", [0, 1087, 1088, 1119, 1120, -1])
def test_a_changed_box_does_not_open(at):
    box = bytearray(seal_for(MINE.public, b"content", PURPOSE, EPHEMERAL))
    box[at] ^= 1
    with pytest.raises(ValueError, match="does not belong here"):
        open_box(MINE, bytes(box), PURPOSE)
    with pytest.raises(ValueError, match="at least"):
        open_box(MINE, bytes(box[: OVERHEAD_BYTES - 1]), PURPOSE)


def test_a_key_does_not_show_its_seed():
    assert MINE.seed.hex() not in repr(MINE)
    assert repr(bytes(range(32))) not in repr(MINE)
