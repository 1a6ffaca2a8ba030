import hmac

import pytest

from protocols.canonical import encode
from protocols.entropy import seeded
from protocols.primitives.key_agreement import _SMALL_ORDER, agree, check_public, key_pair

ALICE, BOB = (key_pair(seeded(1)(name)(32)) for name in ("alice", "bob"))


def test_public_keys_and_shared_secret_are_those_of_rfc_7748_section_6_1():
    alice = key_pair(bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    bob = key_pair(bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    assert alice.public.hex() == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    assert bob.public.hex() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    shared = bytes.fromhex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    # HKDF by its definition in RFC 5869: extract with a salt of zeros, expand to one block
    extracted = hmac.digest(bytes(32), shared, "sha256")
    expected = hmac.digest(extracted, encode(["label"]) + b"\x01", "sha256")
    assert agree(alice, bob.public, "label") == expected


def test_both_sides_derive_the_same_key():
    purpose = ("mask", b"session", ["alice", "bob"])
    assert agree(ALICE, BOB.public, *purpose) == agree(BOB, ALICE.public, *purpose)


@pytest.mark.parametrize("other", [("channel", b"s"), ("mask", b"t"), ("mask", b"s", ["alice"]), ("masks",)])
def test_another_purpose_gives_another_key(other):
    assert agree(ALICE, BOB.public, "mask", b"s") != agree(ALICE, BOB.public, *other)


ENCODINGS = [
    point + offset
    for point in sorted(_SMALL_ORDER)
    for offset in (0, 2**255, 2**255 - 19, 2**256 - 19)  # bit 255 is ignored; values above p are reduced
    if point + offset < 2**256 and (offset % 2**255 == 0 or point < 19)
]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_keys_of_small_order_are_refused_in_every_encoding(encoding):
    public = encoding.to_bytes(32, "little")
    with pytest.raises(ValueError, match="small order"):
        check_public(public)
    with pytest.raises(ValueError, match="computing shared key"):
        agree(ALICE, public, "mask")


@pytest.mark.parametrize("size", [0, 31, 33])
def test_keys_of_another_size_are_refused(size):
    with pytest.raises(ValueError, match=f"got {size}"):
        check_public(bytes(size))


def test_honest_keys_pass():
    check_public(ALICE.public)
