"""The carrier with a grid of our own in Flower's place, and a clock that the test moves."""

from types import MappingProxyType, SimpleNamespace

import pytest

pytest.importorskip("flwr", reason="needs the extra: pip install 'securenb[flower]'")

from flwr.common.constant import ErrorCode
from flwr.supercore.task_identity import TaskIdentity

from protocols.engines.flower import GONE, RECORD, FlowerCarrier

SESSION = bytes(16)
TIMEOUT = 5.0


def reply(identifier, body):
    content = {RECORD: {"session": SESSION, "body": body}}
    return SimpleNamespace(
        metadata=SimpleNamespace(reply_to_message_id=identifier), has_error=lambda: False, content=content
    )


def failure(identifier, code):
    return SimpleNamespace(
        metadata=SimpleNamespace(reply_to_message_id=identifier),
        has_error=lambda: True,
        error=SimpleNamespace(code=code, reason="in Flower's words"),
    )


class Clock:
    now = 0.0

    def __call__(self):
        return self.now

    def pause(self, seconds):
        self.now += seconds


@pytest.fixture(autouse=True)
def in_a_run(monkeypatch):
    """Flower makes messages only inside a run."""
    for name in ("_task_id", "_run_id", "_node_id"):
        monkeypatch.setattr(TaskIdentity, name, 1)


def exchanged(pulls, longer=MappingProxyType({})):
    """The answers of three parties, of whom a grid gives these messages, at these costs, pull by pull.

    As Flower does, it has no answer to a question that has expired.
    """
    clock = Clock()
    expires = {}

    def push_messages(messages):
        expires.update(zip("abc", (message.metadata.ttl for message in messages), strict=True))
        return list("abc")

    def pull_messages(waiting):
        alive = [identifier for identifier in waiting if clock.now < expires[identifier]]
        seconds, messages = next(pulls, (0.0, []))
        clock.now += seconds
        return [message for message in messages if message.metadata.reply_to_message_id in alive]

    grid = SimpleNamespace(push_messages=push_messages, pull_messages=pull_messages)
    carrier = FlowerCarrier(grid, SESSION, TIMEOUT, clock, clock.pause)
    carrier._node_of = {"anna": 1, "bert": 2, "carl": 3}
    answers = carrier.exchange("start", dict.fromkeys(carrier._node_of, b"?"), longer)
    return answers, clock.now


def test_an_exchange_ends_with_the_last_answer():
    answers, now = exchanged(iter([(0.2, [reply("a", b"1"), reply("b", b"2")]), (0.2, [reply("c", b"3")])]))
    assert answers == {"anna": b"1", "bert": b"2", "carl": b"3"}
    assert now < 1


def test_who_says_nothing_is_waited_for_until_the_deadline_and_not_beyond():
    answers, now = exchanged(iter([(0.0, [reply("a", b"1")])]))
    assert answers == {"anna": b"1"}
    assert TIMEOUT <= now < TIMEOUT + 1


def test_who_makes_a_key_gets_the_time_for_it_and_nobody_else_does():
    late = [reply("b", b"2"), reply("c", b"3")]
    slow = iter([(0.0, [reply("a", b"1")]), (2 * TIMEOUT, []), (0.0, []), (0.0, late)])
    answers, now = exchanged(slow, {"bert": 5 * TIMEOUT})
    assert answers == {"anna": b"1", "bert": b"2"}
    assert now < 3 * TIMEOUT


def test_who_makes_a_key_is_not_waited_for_without_end():
    answers, now = exchanged(iter([(0.0, [reply("a", b"1"), reply("c", b"3")])]), {"bert": 5 * TIMEOUT})
    assert answers == {"anna": b"1", "carl": b"3"}
    assert 6 * TIMEOUT <= now < 6 * TIMEOUT + 1


def test_half_a_reply_costs_nobody_else_their_answer():
    half = failure("b", ErrorCode.MESSAGE_UNAVAILABLE)
    answers, _ = exchanged(iter([(2 * TIMEOUT, [half]), (0.0, [reply("a", b"1"), reply("c", b"3")])]))
    assert answers == {"anna": b"1", "carl": b"3"}


def test_a_node_that_is_gone_is_not_waited_for():
    gone = failure("b", ErrorCode.NODE_UNAVAILABLE)
    answers, now = exchanged(iter([(0.0, [gone, reply("a", b"1"), reply("c", b"3")])]))
    assert str(answers["bert"]) == GONE
    assert now < 1
