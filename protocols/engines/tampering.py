"""Scripted trouble in single frames: repeated, broken, replayed, or in another party's name."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from protocols.engines.faults import Faults
from protocols.engines.transcript import Frame
from protocols.party import AGGREGATOR, PartyId
from protocols.wire import Codec, Message

STRANGER: PartyId = "mallory"

Kind = tuple[str, str, str]
"""Role of the sender, role of the recipient, message."""


@dataclass(frozen=True)
class Occasion:
    """A frame on its way: what a trick is made of.

    Attributes
    ----------
    codec
        Of the session.
    frame, body
        What was sent, and what it says.
    nodes
        Of the session.
    """

    codec: Codec
    frame: Frame
    body: Message
    nodes: Sequence[PartyId]

    def sent(self, data: bytes, sender: PartyId | None = None) -> Frame:
        """A frame for the same recipient."""
        return Frame(sender or self.frame.sender, self.frame.recipient, data)

    def encoded(self, sender: PartyId, recipient: PartyId) -> bytes:
        """The same message, from and for others."""
        return self.codec.encode(sender, recipient, self.body)

    @property
    def other_role(self) -> PartyId:
        """A party of another role than the sender."""
        return AGGREGATOR if self.frame.sender in self.nodes else self.nodes[0]

    @property
    def other_node(self) -> PartyId:
        """A node that neither sends nor receives it."""
        return next(who for who in self.nodes if who not in (self.frame.sender, self.frame.recipient))


Trick = Callable[[Occasion], Frame]
"""What else arrives, and is to be blamed on its sender."""

LATE = "repeated late"
"""The trick whose frame arrives only after the next deadline."""

TRICKS: Mapping[str, Trick] = {
    "repeated": lambda at: at.frame,
    LATE: lambda at: at.frame,
    "of random bytes": lambda at: at.sent(np.random.default_rng(3).bytes(len(at.frame.data))),
    "empty": lambda at: at.sent(b""),
    "truncated": lambda at: at.sent(at.frame.data[:-1]),
    "with a trailing byte": lambda at: at.sent(at.frame.data + b"\0"),
    "too large": lambda at: at.sent(at.frame.data + bytes(at.codec.limit + 1 - len(at.frame.data))),
    "under a false name": lambda at: at.sent(at.frame.data, STRANGER),
    "from a stranger": lambda at: at.sent(at.encoded(STRANGER, at.frame.recipient), STRANGER),
    "from the wrong role": lambda at: at.sent(at.encoded(at.other_role, at.frame.recipient), at.other_role),
    "meant for another": lambda at: at.sent(at.encoded(at.frame.sender, at.other_node)),
}
"""What a frame that must be ignored may be like."""


class Tampering(Faults):
    """After the first frame of one kind of message, something else arrives.

    Attributes
    ----------
    blamed
        Who received it, and who is to be blamed for it; `None` until it happened.
    """

    def __init__(
        self, kind: Kind, trick: Trick, codec: Codec, nodes: Sequence[PartyId], *, late: bool = False
    ) -> None:
        super().__init__()
        self._kind, self._trick, self._codec, self._nodes = kind, trick, codec, nodes
        self._late = late
        self.blamed: tuple[PartyId, PartyId] | None = None

    def carry(self, frame: Frame) -> tuple[list[Frame], list[Frame]]:
        """See `Faults.carry`."""
        body = self._codec.decode(frame.sender, frame.recipient, frame.data)
        if self.blamed is not None or kind_of(frame, body, self._nodes) != self._kind:
            return [frame], []
        more = self._trick(Occasion(self._codec, frame, body, self._nodes))
        self.blamed = (frame.recipient, more.sender)
        return ([frame], [more]) if self._late else ([frame, more], [])


class Watching(Faults):
    """Nothing happens; what is sent is noted.

    Attributes
    ----------
    kinds
        Of the messages, in the order in which they were first sent.
    largest
        Bytes of the largest frame.
    """

    def __init__(self, codec: Codec, nodes: Sequence[PartyId]) -> None:
        super().__init__()
        self._codec, self._nodes = codec, nodes
        self._kinds: dict[Kind, None] = {}
        self.largest = 0

    @property
    def kinds(self) -> Collection[Kind]:
        """Each once."""
        return list(self._kinds)

    def carry(self, frame: Frame) -> tuple[list[Frame], list[Frame]]:
        """See `Faults.carry`."""
        body = self._codec.decode(frame.sender, frame.recipient, frame.data)
        self._kinds[kind_of(frame, body, self._nodes)] = None
        self.largest = max(self.largest, len(frame.data))
        return [frame], []


def kind_of(frame: Frame, body: Message, nodes: Collection[PartyId]) -> Kind:
    """Who says what to whom, by roles; each trustee is a role of its own."""
    sender, recipient = ("node" if who in nodes else who for who in (frame.sender, frame.recipient))
    return sender, recipient, type(body).__name__
