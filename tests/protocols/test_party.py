import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.errors import FaultyParty, TooFewParties
from protocols.party import Envelope, Intake, Party
from protocols.wire import Message


class Word(Message, frozen=True):
    word: str


class Listener(Party):
    def handle(self, envelope):
        raise self.unexpected(envelope)


def test_a_party_is_silent_and_unfinished_by_default():
    listener = Listener("bob")
    assert listener.start() == listener.deadline() == []
    assert listener.output is None


def test_a_party_speaks_in_its_own_name():
    assert Listener("bob").to("alice", Word("x")) == Envelope("bob", "alice", Word("x"))


def test_an_unexpected_message_names_its_sender_and_its_kind():
    with pytest.raises(FaultyParty, match="alice: sent Word, which bob does not expect now") as caught:
        Listener("bob").handle(Envelope("alice", "bob", Word("x")))
    assert caught.value.party == "alice"


def test_the_first_message_stands():
    intake = Intake(["a", "b"])
    intake.admit("a", Word("first"))
    with pytest.raises(FaultyParty, match="a: .*twice"):
        intake.admit("a", Word("second"))
    assert intake.received == {"a": Word("first")}


def test_an_uninvited_sender_is_refused():
    intake = Intake(["a", "b"])
    with pytest.raises(FaultyParty, match="c: .*not invited"):
        intake.admit("c", Word("x"))
    assert intake.received == {}


@given(st.lists(st.sampled_from("abcdef"), max_size=12))
def test_who_has_spoken_and_who_is_missing_make_up_the_invited(spoken):
    intake = Intake("abcd")
    for sender in spoken:
        with contextlib.suppress(FaultyParty):
            intake.admit(sender, Word(sender))
    assert sorted([*intake.missing, *intake.received]) == list("abcd")
    assert intake.missing == [sender for sender in "abcd" if sender not in spoken]
    assert intake.complete == (set("abcd") <= set(spoken))


def test_too_few_parties_names_the_first_ten_missing():
    assert str(TooFewParties([], "why")) == "why"
    error = TooFewParties((f"n{i}" for i in range(12)), "why")
    assert error.missing == tuple(f"n{i}" for i in range(12))
    assert str(error) == "why (missing: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, ...)"
