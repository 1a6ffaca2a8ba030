"""X-Wing against the vectors of its draft."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey

from protocols.errors import Abort
from protocols.primitives.key_agreement import key_pair
from protocols.primitives.xwing import (
    CIPHERTEXT_BYTES,
    PUBLIC_BYTES,
    XWingKey,
    check_xwing,
    encapsulate,
)
from protocols.tape import UNTAPED, Recording, Replaying, Tape

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "xwing.json").read_text())["vectors"]
MINE, OTHER = XWingKey(bytes(range(32))), XWingKey(bytes(32))
EPHEMERAL = bytes(range(32))


def encapsulated(public, ephemeral=EPHEMERAL, tape=UNTAPED):
    return encapsulate(public, ephemeral, tape)


class Given(Tape):
    """The lattice's half as the draft has it."""

    def __init__(self, *half):
        self.half = half

    def draw(self, label, make):
        return self.half


@pytest.mark.parametrize("vector", VECTORS)
def test_known_answers(vector):
    """All that is ours: how halves are derived, laid out and combined; ML-KEM's own half is a library's."""
    given = {name: bytes.fromhex(value) for name, value in vector.items()}
    key = XWingKey(given["seed"])
    assert key.public == given["pk"]
    assert key.decapsulate(given["ct"]) == given["ss"]
    half = given["ct"][:-32]
    tape = Given(half, key._lattice.decapsulate(half))
    assert encapsulate(given["pk"], given["eseed"][32:], tape) == (given["ct"], given["ss"])


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("byte", [0, 500, 1087, 1088, 1119])
def test_of_a_changed_ciphertext_comes_another_secret(vector, byte):
    changed = bytearray.fromhex(vector["ct"])
    changed[byte] ^= 1
    key = XWingKey(bytes.fromhex(vector["seed"]))
    assert key.decapsulate(bytes(changed)).hex() != vector["ss"]


def test_both_halves_count():
    """Whoever knows one half of a key only does not get the secret."""
    ciphertext, secret = encapsulated(MINE.public)
    assert MINE.decapsulate(ciphertext) == secret
    for own, foreign in ((MINE, OTHER), (OTHER, MINE)):
        mixed = XWingKey(bytes(32))
        object.__setattr__(mixed, "_lattice", own._lattice)
        object.__setattr__(mixed, "_curve", foreign._curve)
        assert mixed.decapsulate(ciphertext) != secret


def test_encapsulations_differ_even_with_the_same_ephemeral_unless_a_tape_repeats_them():
    (one, first), (two, second) = encapsulated(MINE.public), encapsulated(MINE.public)
    assert one != two
    assert one[-32:] == two[-32:]
    assert first != second
    assert len(one) == CIPHERTEXT_BYTES == 1120
    assert len(MINE.public) == PUBLIC_BYTES == 1216
    recording = Recording()
    said = encapsulated(MINE.public, tape=recording)
    assert encapsulated(MINE.public, tape=Replaying(recording.draws)) == said
    for public, ephemeral in ((OTHER.public, EPHEMERAL), (MINE.public, bytes(range(1, 33)))):
        with pytest.raises(Abort, match="other keys or another seed"):
            encapsulated(public, ephemeral, Replaying(recording.draws))


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
        encapsulated(public)


def test_seeds_and_ciphertexts_of_another_length_are_refused():
    with pytest.raises(ValueError, match="32 bytes, got 31"):
        XWingKey(bytes(31))
    with pytest.raises(ValueError, match="1120 bytes, got 1119"):
        MINE.decapsulate(bytes(1119))
    with pytest.raises(ValueError, match="small order"):
        MINE.decapsulate(encapsulated(MINE.public)[0][:-32] + bytes(32))


def test_a_key_does_not_show_its_seed():
    assert MINE.seed.hex() not in repr(MINE)
    assert repr(bytes(range(32))) not in repr(MINE)
