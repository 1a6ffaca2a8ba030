import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.errors import FaultyParty
from protocols.wire import Codec, Message


class Numbers(Message, frozen=True):
    numbers: tuple[int, ...]
    words: bytes


class Name(Message, frozen=True):
    name: str


class Elsewhere(Message, frozen=True):
    name: str


DIGEST = bytes(range(32))
CODEC = Codec((Numbers, Name), DIGEST, limit=1000)
FRAME = CODEC.encode("alice", "bob", Numbers((1, -2), b"words"))


def forged(body: bytes) -> bytes:
    """A frame whose tag fits a body that no encoder wrote."""
    return msgspec.msgpack.encode([CODEC._tag(body), "alice", "bob", msgspec.Raw(body)])


@given(
    st.builds(
        Numbers, st.tuples() | st.tuples(st.integers(-(1 << 63), (1 << 64) - 1)), st.binary(max_size=99)
    )
    | st.builds(Name, st.text(max_size=50))
)
def test_what_was_said_is_what_is_heard(message):
    assert CODEC.decode("alice", "bob", CODEC.encode("alice", "bob", message)) == message


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"", "malformed"),
        (FRAME[:-1], "malformed"),
        (FRAME + b"\0", "malformed"),
        (b"\xc1" * 20, "malformed"),
        (b"\x91" * 900, "malformed"),
        (b"\xdd\xff\xff\xff\xff", "malformed"),
        (FRAME + bytes(1000), "the limit is 1000"),
        (CODEC.encode("carol", "bob", Name("x")), "as 'carol'"),
        (CODEC.encode("alice", "carol", Name("x")), "meant for 'carol'"),
        (Codec((Name,), bytes(32), 1000).encode("alice", "bob", Name("x")), "another session"),
        (CODEC.encode("alice", "bob", Elsewhere("x")), "malformed"),
        (forged(msgspec.msgpack.encode(["Name", "x"])[:-1]), "malformed"),
        (forged(msgspec.msgpack.encode(["Name", "x", 1])), "malformed"),
        (forged(msgspec.msgpack.encode(["Name"])), "malformed"),
        (forged(msgspec.msgpack.encode(["Name", b"x"])), "malformed"),
        (forged(msgspec.msgpack.encode(["Name", b"\xff"]).replace(b"\xc4\x01", b"\xa1")), "malformed"),
        (forged(msgspec.msgpack.encode(["Numbers", [1.0], b""])), "malformed"),
        (forged(msgspec.msgpack.encode(["Numbers", [True], b""])), "malformed"),
        (forged(msgspec.msgpack.encode({"type": "Name", "name": "x"})), "malformed"),
        (forged(b"\x93\xa7Numbers\xdd\x7f\xff\xff\xff\x01"), "malformed"),
    ],
)
def test_a_bad_frame_blames_its_channel(frame, reason):
    with pytest.raises(FaultyParty, match=reason) as caught:
        CODEC.decode("alice", "bob", frame)
    assert caught.value.party == "alice"


@given(st.binary(max_size=200))
@example(FRAME[:40])
def test_no_bytes_do_anything_but_blame(data):
    with pytest.raises(FaultyParty):
        CODEC.decode("alice", "bob", data)


def test_no_single_damaged_byte_gets_through():
    rng = np.random.default_rng(1)
    for where in range(len(FRAME)):
        damaged = bytearray(FRAME)
        damaged[where] ^= int(rng.integers(1, 256))
        with pytest.raises(FaultyParty):
            CODEC.decode("alice", "bob", bytes(damaged))


def test_a_frame_costs_little_more_than_its_words():
    message = Numbers((), bytes(8000))
    assert len(CODEC.encode("node-1", "aggregator", message)) < 8000 + 64
