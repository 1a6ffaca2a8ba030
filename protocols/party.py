"""One role in one run of a protocol: asked, it says what to send next.

A party never waits, sends or sleeps. An engine calls `start` once, `handle` for every message that
arrives, and `deadline` when some are silent and the rest should go on without them. A party is used
for a single run, like a nonce.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from protocols.errors import FaultyParty
from protocols.tape import UNTAPED, Tape
from protocols.wire import Message

PartyId = str

AGGREGATOR: PartyId = "aggregator"


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message on its way; `sender` is what the channel authenticated, not what the message says."""

    sender: PartyId
    recipient: PartyId
    body: Message


class Party(ABC):
    """One role in one run. `output` is `None` until the party has finished.

    `late_faults` are those that came to light only after the faulty party's message had been taken; the
    engine records and clears them whenever the party has acted.
    """

    tape: Tape = UNTAPED
    """Where an engine keeps what the party draws that its entropy cannot give again."""

    def __init__(self, me: PartyId) -> None:
        self.me = me
        self.output: Any = None
        self.late_faults: list[FaultyParty] = []

    def start(self) -> list[Envelope]:
        """What this party says first."""
        return []

    def costly(self) -> bytes:
        """What took long to make in `start`, so that a party that is replayed need not make it again.

        As secret as the party's entropy. Empty: nothing did.
        """
        return b""

    def recall(self, costly: bytes) -> None:
        """Before `start`: what `costly` gave at the same entropy; without use for it, it is made again."""
        return

    @abstractmethod
    def handle(self, envelope: Envelope) -> list[Envelope]:
        """What `envelope` makes this party say.

        Raises
        ------
        FaultyParty
            The sender broke the protocol; the party's state is as if nothing had arrived.
        Abort
            The run cannot end safely for this party; it has released nothing.
        """

    def deadline(self) -> list[Envelope]:
        """Go on without those who are silent; raises `Abort` where that is not possible.

        A party that others may speak to at this very deadline can let it pass; at the next, if no party
        has spoken, it has to raise.
        """
        return []

    def to(self, recipient: PartyId, body: Message) -> Envelope:
        """An envelope from this party."""
        return Envelope(self.me, recipient, body)

    def unexpected(self, envelope: Envelope) -> FaultyParty:
        """The error for a message that has no place here and now."""
        kind = type(envelope.body).__name__
        return FaultyParty(envelope.sender, f"sent {kind}, which {self.me} does not expect now")


M = TypeVar("M")


class Intake(Generic[M]):
    """One message each, or what was read in it, from a known set of senders.

    An uninvited sender or a second message is refused; the first message stands.
    """

    def __init__(self, senders: Iterable[PartyId]) -> None:
        self._invited = dict.fromkeys(senders)
        self.received: dict[PartyId, M] = {}

    def check(self, sender: PartyId) -> None:
        """Raise `FaultyParty` if `sender` is uninvited or has spoken already."""
        if sender not in self._invited:
            raise FaultyParty(sender, "was not invited to send this")
        if sender in self.received:
            raise FaultyParty(sender, "sent this message twice")

    def admit(self, sender: PartyId, message: M) -> None:
        """Keep the message, or raise `FaultyParty` and keep nothing."""
        self.check(sender)
        self.received[sender] = message

    @property
    def missing(self) -> list[PartyId]:
        """Those who have not spoken, in the order of invitation."""
        return [sender for sender in self._invited if sender not in self.received]

    @property
    def complete(self) -> bool:
        """Whether all have spoken."""
        return len(self.received) == len(self._invited)
