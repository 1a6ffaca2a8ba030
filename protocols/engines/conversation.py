"""What the parties of a protocol say to each other, and in which order: observed in runs."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.grouping import one_group
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.protocol import Protocol
from protocols.ring import Capacity, Integers
from protocols.session import Session

NODES, LENGTH, SEED = 10, 1000, 7
CAPACITY = Capacity(bound=1000, nodes=NODES)

EDGE = "[*]"
"""The state before a party has said anything, and the one when it has finished."""

Arrow = tuple[str, str, str, str]
"""Role, state, what was heard, next state.

A state is what the party has said last. What was heard is a message, or `deadline`, or empty if the party
went on by itself.
"""


def role_of(party: PartyId, session: Session) -> str:
    """`node`, `aggregator`, or what kind of trustee: `holder` of `holder-3`."""
    if party in session.trustees:
        return party.rstrip("0123456789").rstrip("-")
    return party if party == AGGREGATOR else "node"


@dataclass
class Conversation:
    """What was observed.

    Attributes
    ----------
    arrows
        Every step that some party took, in the order of first appearance.
    sizes
        For each (role of the sender, role of the recipient, message) of the honest run: the bytes of each
        frame.
    rounds, turns
        Of the honest run: `Transcript.rounds`, and the most often that one node spoke.
    """

    arrows: dict[Arrow, None] = field(default_factory=dict)
    sizes: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    rounds: int = 0
    turns: int = 0


class _Observed(Party):
    """An honest party whose steps are noted."""

    def __init__(self, party: Party, role: str, conversation: Conversation) -> None:
        super().__init__(party.me)
        self.late_faults = party.late_faults
        self._party = party
        self._role = role
        self._conversation = conversation
        self._state = EDGE

    def _step(self, heard: str, act: Callable[[], list[Envelope]]) -> list[Envelope]:
        finished = self.output is not None
        said = act()
        self.output = self._party.output
        names = list(dict.fromkeys(type(envelope.body).__name__ for envelope in said))
        if names:
            self._go(heard, " + ".join(names))
        if self.output is not None and not finished:
            self._go("" if names else heard, EDGE)
        return said

    def _go(self, heard: str, state: str) -> None:
        self._conversation.arrows[self._role, self._state, heard, state] = None
        self._state = state

    def start(self) -> list[Envelope]:
        return self._step("", self._party.start)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        return self._step(type(envelope.body).__name__, lambda: self._party.handle(envelope))

    def deadline(self) -> list[Envelope]:
        return self._step("deadline", self._party.deadline)


class _Scales(Faults):
    """A good network that weighs what it carries."""

    def __init__(self, session: Session, protocol: Protocol, conversation: Conversation) -> None:
        super().__init__()
        self._session = session
        self._codec = protocol.codec(session)
        self._sizes = conversation.sizes

    def carry(self, frame: Frame) -> tuple[list[Frame], list[Frame]]:
        body = self._codec.decode(frame.sender, frame.recipient, frame.data)
        sender, recipient = role_of(frame.sender, self._session), role_of(frame.recipient, self._session)
        self._sizes.setdefault((sender, recipient, type(body).__name__), []).append(len(frame.data))
        return super().carry(frame)


def vectors() -> dict[PartyId, Integers]:
    """The nodes' vectors."""
    rng = np.random.default_rng(SEED)
    bound = CAPACITY.bound
    return {f"node-{i}": rng.integers(-bound, bound, LENGTH, endpoint=True) for i in range(NODES)}


def observe(protocol: Protocol) -> Conversation:
    """Run the protocol honestly, and with one party silent from each of its words on."""
    conversation = Conversation()
    given = vectors()
    session = protocol.session(one_group(list(given)), LENGTH, CAPACITY, bytes(range(16)))

    def run(faults: Faults) -> LocalRun:
        parties = protocol.parties(given, session, seeded(SEED))
        watched: dict[PartyId, Party] = {
            me: _Observed(party, role_of(me, session), conversation) for me, party in parties.items()
        }
        local = LocalRun(watched, protocol.codec(session), session, faults)
        try:
            local.run()
        except Abort:
            if faults is NO_FAULTS:
                raise
        return local

    run(NO_FAULTS)
    honest = run(_Scales(session, protocol, conversation))
    conversation.rounds = honest.transcript.rounds
    conversation.turns = max(tally.turns for tally in honest.transcript.of_role("node"))
    for party in (session.nodes[1], *session.trustees[-1:]):
        frames = honest.transcript.tallies[party].sent_messages
        for stage in sorted({*range(min(frames, 4)), max(frames - 1, 0)}):
            run(Faults(silent={party: stage}))
    return conversation
