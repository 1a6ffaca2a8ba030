"""Brings questions to other machines through Flower's Message API, and nothing else of Flower.

A question is bytes, its answer is bytes; session and stage stand beside them, so that a late answer is
never taken for another one. Flower's node ids are random: a site says who it is, and signs that.
"""

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import cast

from flwr.app import ConfigRecord, Message, RecordDict
from flwr.common.constant import ErrorCode
from flwr.serverapp import Grid

from protocols.canonical import digest
from protocols.engines.relay import Carrier, Unanswered
from protocols.party import PartyId
from protocols.primitives.identity import Identity, Roster

KIND = "query.securenb"
"""The message type of every question; the ClientApp registers `answer` under its second half."""

MEETING = "meeting"
RECORD = "securenb"
GONE = "lost its connection"
POLL_SECONDS = 0.1
LATE_SECONDS = 15.0
"""How much longer than its stage a question lives. Flower deletes an answer together with its question, and
one that came in time may be read only after the deadline, when another one's reading took long."""
NONCE_BYTES = 32


class FlowerCarrier(Carrier):
    """Asks sites through a Flower grid.

    Parameters
    ----------
    grid
        Flower's.
    session_id
        Stands in every message.
    timeout
        Seconds that a stage waits for the slowest answer.
    clock, pause
        Seconds that never go back, and what waits for some.
    """

    def __init__(
        self,
        grid: Grid,
        session_id: bytes,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._grid = grid
        self._session_id = session_id
        self._timeout = timeout
        self._clock = clock
        self._pause = pause
        self._node_of: dict[PartyId, int] = {}

    def meet(
        self, expected: Collection[PartyId], roster: Roster, wait: float, met: Callable[[PartyId], None]
    ) -> list[PartyId]:
        """See `Carrier.meet`; a node is whose it says it is if that party's key signed our nonce."""
        until = self._clock() + wait
        asked: set[int] = set()
        waiting: dict[str, int] = {}
        nonce = os.urandom(NONCE_BYTES)
        while self._clock() < until and set(self._node_of) < set(expected):
            new = [node for node in self._grid.get_node_ids() if node not in asked]
            asked.update(new)
            messages = [self._message(node, MEETING, nonce, until - self._clock()) for node in new]
            waiting.update(zip(self._grid.push_messages(messages), new, strict=True) if new else ())
            for identifier, body in self._pulled(waiting):
                node = waiting.pop(identifier)
                if isinstance(body, Unanswered):
                    asked.discard(node)  # it may have been starting up
                    continue
                name, _, signature = body.partition(b"\0")
                party = name.decode(errors="replace")
                if party in expected and roster.signed(party, present(nonce, party), signature):
                    self._node_of[party] = node
                    met(party)
            self._pause(POLL_SECONDS)
        return [party for party in expected if party in self._node_of]

    def exchange(
        self, stage: str, questions: Mapping[PartyId, bytes], longer: Mapping[PartyId, float]
    ) -> Mapping[PartyId, bytes | Unanswered]:
        """See `Carrier.exchange`."""
        start = self._clock()
        timeouts = {party: self._timeout + longer.get(party, 0.0) for party in questions}
        messages = [
            self._message(self._node_of[party], stage, questions[party], timeouts[party])
            for party in timeouts
        ]
        waiting = dict(zip(self._grid.push_messages(messages), timeouts, strict=True))
        answers: dict[PartyId, bytes | Unanswered] = {}
        while waiting:
            # a pull may take beyond the deadline, over half a reply: what came meanwhile is not late
            now = self._clock() - start
            for identifier, body in self._pulled(waiting):
                answers[waiting.pop(identifier)] = body
            waiting = {identifier: party for identifier, party in waiting.items() if now < timeouts[party]}
            if waiting:
                self._pause(POLL_SECONDS)
        return answers

    def _message(self, node: int, stage: str, body: bytes, ttl: float) -> Message:
        content = ConfigRecord({"session": self._session_id, "stage": stage, "body": body})
        return Message(
            RecordDict({RECORD: content}),
            dst_node_id=node,
            message_type=KIND,
            group_id=f"{self._session_id.hex()[:8]} {stage}",
            ttl=max(ttl, 0.0) + LATE_SECONDS,
        )

    def _pulled(self, waiting: Iterable[str]) -> list[tuple[str, bytes | Unanswered]]:
        found: list[tuple[str, bytes | Unanswered]] = []
        for message in self._grid.pull_messages(list(waiting)):
            identifier = message.metadata.reply_to_message_id
            if message.has_error():
                if message.error.code == ErrorCode.MESSAGE_UNAVAILABLE:
                    continue  # it expires when the stage does
                gone = message.error.code == ErrorCode.NODE_UNAVAILABLE
                found.append((identifier, Unanswered(GONE if gone else f"failed: {message.error.reason}")))
                continue
            record = cast(ConfigRecord, message.content[RECORD])
            if record["session"] == self._session_id:
                found.append((identifier, cast(bytes, record["body"])))
            else:
                found.append((identifier, Unanswered("answered in another session")))
        return found


def present(nonce: bytes, party: PartyId) -> bytes:
    """What a party signs to be met."""
    return digest("securenb presence", nonce, party)


def answer(message: Message, me: PartyId, identity: Identity, reply: Callable[[bytes], bytes]) -> Message:
    """A site's answer to a message: who it is, or `reply` to the question in it."""
    record = cast(ConfigRecord, message.content[RECORD])
    body = cast(bytes, record["body"])
    if record["stage"] == MEETING and len(body) == NONCE_BYTES:
        said = me.encode() + b"\0" + identity.sign(present(body, me))
    else:
        said = reply(body)
    content = ConfigRecord({"session": record["session"], "stage": record["stage"], "body": said})
    return Message(RecordDict({RECORD: content}), reply_to=message)
