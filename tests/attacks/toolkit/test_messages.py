import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.toolkit.messages import Deviant, Raw, RawCodec, byte_fields, longest_changed, with_bytes
from protocols.errors import FaultyParty
from protocols.party import Envelope, Party
from protocols.wire import Message


class Inner(Message, frozen=True):
    data: bytes


class Outer(Message, frozen=True):
    name: str
    first: bytes
    inner: tuple[Inner, ...]


BODY = Outer("x", b"ab", (Inner(b"abcd"), Inner(b"")))


def test_every_byte_string_is_found_and_can_be_changed_alone():
    fields = byte_fields(BODY)
    assert fields == [(("first",), b"ab"), (("inner", 0, "data"), b"abcd"), (("inner", 1, "data"), b"")]
    for path, _ in fields:
        new = byte_fields(with_bytes(BODY, path, b"new"))
        assert new == [(p, b"new" if p == path else old) for p, old in fields]


def test_the_longest_byte_string_is_changed():
    envelope = longest_changed(Envelope("a", "b", BODY), lambda field: field[::-1])
    assert envelope.body == Outer("x", b"ab", (Inner(b"dcba"), Inner(b"")))
    nothing = Envelope("a", "b", Outer("x", b"", ()))
    assert longest_changed(nothing, lambda field: field + b"!") is nothing


@given(st.binary(max_size=40))
def test_raw_frames_travel_as_they_are_and_others_are_encoded(data):
    codec = RawCodec((Inner,), bytes(32), 1000)
    assert codec.encode("a", "b", Raw(data)) == data
    assert codec.decode("a", "b", codec.encode("a", "b", Inner(data))) == Inner(data)
    with pytest.raises(FaultyParty):
        codec.decode("a", "b", codec.encode("a", "b", Raw(data)))


class Talker(Party):
    def start(self):
        return [self.to("b", Inner(b"start"))]

    def handle(self, envelope):
        self.output = "done"
        return [self.to("b", Inner(b"heard"))]

    def deadline(self):
        self.late_faults.append(FaultyParty("c", "late"))
        return [self.to("b", Inner(b"deadline"))]


def test_every_word_of_a_deviant_goes_through_its_change():
    words = []
    deviant = Deviant(Talker("a"), lambda envelope: words.append(envelope.body.data) or [envelope, envelope])
    said = deviant.start()
    assert deviant.output is None
    said += deviant.handle(Envelope("b", "a", Inner(b"")))
    assert deviant.output == "done"
    said += deviant.deadline()
    assert words == [b"start", b"heard", b"deadline"]
    assert [envelope.body.data for envelope in said] == [word for word in words for _ in range(2)]
    assert [fault.party for fault in deviant.late_faults] == ["c"]
