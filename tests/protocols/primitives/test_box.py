"""Boxes open for their owner and purpose only, with either key exchange."""

from typing import get_args

import pytest

from protocols.entropy import seeded
from protocols.primitives.box import (
    BoxKey,
    KeyExchange,
    Letter,
    check_box_key,
    check_exchange,
    overhead_bytes,
    public_bytes,
    seal,
)
from protocols.tape import Recording, Replaying

KINDS = get_args(KeyExchange)
PURPOSE = ("shares", b"session", "node-1", "node-2")


def keys(kind):
    return BoxKey(kind, bytes(range(32))), BoxKey(kind, bytes(range(1, 33)))


def sealed(key, content, purpose=PURPOSE, seed=1):
    (box,) = seal(key.exchange, [Letter(key.public, content, purpose)], seeded(seed)("sender"))
    return box


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [b"", b"x", bytes(64), bytes(100_000)])
def test_a_box_opens_for_its_owner_and_purpose_only(kind, content):
    mine, other = keys(kind)
    box = sealed(mine, content)
    assert len(box) == len(content) + overhead_bytes(kind)
    assert len(mine.public) == public_bytes(kind)
    assert mine.open(box, PURPOSE) == content
    for key, purpose in ((other, PURPOSE), (mine, PURPOSE[:-1]), (mine, (*PURPOSE[:-1], "node-3"))):
        with pytest.raises(ValueError, match="does not belong here"):
            key.open(box, purpose)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_box_does_not_open(kind):
    mine, _ = keys(kind)
    box = sealed(mine, b"content")
    for at in (0, 1, overhead_bytes(kind) - 17, overhead_bytes(kind) - 16, len(box) - 1):
        changed = bytearray(box)
        changed[at] ^= 1
        with pytest.raises(ValueError, match="does not belong here"):
            mine.open(bytes(changed), PURPOSE)
    with pytest.raises(ValueError, match="at least"):
        mine.open(box[: overhead_bytes(kind) - 1], PURPOSE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_entropy_and_tape_make_the_same_boxes_and_other_entropy_others(kind):
    """A party that is replayed says the same again, byte for byte."""
    mine, other = keys(kind)
    letters = [Letter(mine.public, b"one", PURPOSE), Letter(other.public, b"two", PURPOSE)]
    recording = Recording()
    first = seal(kind, letters, seeded(1)("sender"), recording)
    again = seal(kind, letters, seeded(1)("sender"), Replaying(recording.draws))
    another = seal(kind, letters, seeded(2)("sender"))
    assert len(recording.draws) == (len(letters) if kind == "hybrid" else 0)
    assert first == again
    assert not set(first) & set(another)
    assert [key.open(box, PURPOSE) for key, box in zip((mine, other), first, strict=True)] == [b"one", b"two"]
    assert seal(kind, [], seeded(1)("sender")) == []


def test_a_key_of_the_other_exchange_is_none():
    """No fall-back: neither end takes what the other exchange makes."""
    hybrid, classical = keys("hybrid")[0], keys("x25519")[0]
    for kind, public in (("hybrid", classical.public), ("x25519", hybrid.public)):
        with pytest.raises(ValueError, match="bytes"):
            check_box_key(kind, public)
        with pytest.raises(ValueError, match="bytes"):
            seal(kind, [Letter(public, b"", PURPOSE)], seeded(1)("sender"))
    with pytest.raises(ValueError, match="at least"):
        hybrid.open(sealed(classical, b""), PURPOSE)
    with pytest.raises(ValueError, match="does not belong here|order"):
        classical.open(sealed(hybrid, b""), PURPOSE)


@pytest.mark.parametrize("name", ["", "ml-kem", "Hybrid", None])
def test_other_exchanges_are_refused_by_name(name):
    with pytest.raises(ValueError, match=r"'x25519', 'hybrid'\), got"):
        check_exchange(name)
    with pytest.raises(ValueError, match="key_exchange must be one of"):
        BoxKey(name, bytes(32))


def test_neither_keys_nor_letters_show_what_is_secret():
    key = BoxKey("hybrid", bytes(range(32)))
    assert repr(key.seed) not in repr(key)
    assert "secret" not in repr(Letter(key.public, b"secret", PURPOSE))
