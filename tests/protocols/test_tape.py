"""A tape gives what was drawn, in order, and refuses whatever is not that."""

import os

import msgspec
import pytest

from protocols.errors import Abort
from protocols.tape import UNTAPED, Draw, Imagining, Recording, Replaying, read, written

LABELS = [bytes([at]) * 32 for at in range(3)]


def drawn():
    return os.urandom(40), os.urandom(32)


@pytest.fixture
def recording():
    tape = Recording()
    for label in LABELS:
        tape.draw(label, drawn)
    return tape


def never():
    raise AssertionError("drawn again")


def test_what_is_replayed_is_what_was_recorded(recording):
    tape = Replaying(read(4, written(4, recording.draws)))
    assert [tape.draw(label, never) for label in LABELS] == [(d.sent, d.secret) for d in recording.draws]
    tape.finish()
    with pytest.raises(Abort, match="shorter"):
        tape.draw(LABELS[0], never)


def test_another_order_and_a_tape_that_is_left_over_are_refused(recording):
    tape = Replaying(recording.draws)
    with pytest.raises(Abort, match="other keys or another seed"):
        tape.draw(LABELS[1], never)
    tape.draw(LABELS[0], never)
    with pytest.raises(Abort, match="longer"):
        tape.finish()


def test_no_byte_can_be_changed_nor_the_step(recording):
    content = written(4, recording.draws)
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1
        with pytest.raises(Abort, match="the tape of step 4"):
            read(4, bytes(changed))
    for other in (content[:-1], b"", content + b"\0", msgspec.msgpack.encode(None)):
        with pytest.raises(Abort, match="the tape of step 4 cannot be read"):
            read(4, other)
    with pytest.raises(Abort, match="the tape of step 5 was changed"):
        read(5, content)


def test_what_might_have_been_said_draws_only_what_was_not(recording):
    tape = Imagining(recording.draws)
    assert tape.draw(LABELS[2], never) == tape.draw(LABELS[2], never)
    made = b"a", b"b"
    assert tape.draw(b"x" * 32, lambda: made) == UNTAPED.draw(LABELS[0], lambda: made) == made


def test_a_draw_does_not_show_its_secret():
    assert "7373" not in repr(Draw(b"l" * 32, b"c", b"s" * 32))
    assert "sss" not in repr(Draw(b"l" * 32, b"c", b"s" * 32))
