"""What the parties of every protocol say to each other: observed in runs, and written down as a page.

python -m protocols.engines.conversation > docs/protocols/messages.md
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.engines.transcript import Frame
from protocols.entropy import seeded
from protocols.errors import Abort
from protocols.grouping import one_group
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.protocol import PROTOCOLS, Protocol
from protocols.ring import Capacity, Integers
from protocols.session import Session

NODES, LENGTH, SEED = 10, 1000, 7
CAPACITY = Capacity(bound=1000, nodes=NODES)

INTRODUCTION = f"""# Messages, states and sizes

<!-- written by `python -m protocols.engines.conversation`; do not edit -->

Observed in runs of {NODES} nodes in one group, d = {LENGTH:,}, seed {SEED}: an honest one, and one for every
place at which a node or trustee may fall silent. Each protocol has its parameters for tests, as named; what
grows with a key or a committee is smaller here than in earnest.

A state is what a party has said last, an arrow what it has heard when it goes on: a message, or a *deadline*
at which it does without somebody. Where nothing can be done, it ends the run; that is not drawn.
"""

Arrow = tuple[str, str, str, str]
"""Role, state, what was heard, next state."""


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
    """

    arrows: dict[Arrow, None] = field(default_factory=dict)
    sizes: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)


class _Observed(Party):
    """An honest party whose steps are noted."""

    def __init__(self, party: Party, role: str, conversation: Conversation) -> None:
        super().__init__(party.me)
        self.late_faults = party.late_faults
        self._party = party
        self._role = role
        self._conversation = conversation
        self._state = "[*]"

    def _step(self, heard: str, act: Callable[[], list[Envelope]]) -> list[Envelope]:
        finished = self.output is not None
        said = act()
        self.output = self._party.output
        names = list(dict.fromkeys(type(envelope.body).__name__ for envelope in said))
        if names:
            self._go(heard, " + ".join(names))
        if self.output is not None and not finished:
            self._go("" if names else heard, "[*]")
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
    for party in (session.nodes[1], *session.trustees[-1:]):
        frames = honest.transcript.tallies[party].sent_messages
        for stage in sorted({*range(min(frames, 4)), max(frames - 1, 0)}):
            run(Faults(silent={party: stage}))
    return conversation


def chapter(name: str, protocol: Protocol) -> Iterator[str]:
    """The lines about one protocol."""
    conversation = observe(protocol)
    yield from (f"## {name}", "", f"`{protocol}`", "")
    spoken = {message.__name__: message for message in protocol.messages}
    yield from (
        "| from | to | message | frames | bytes each | what it says |",
        "| --- | --- | --- | --- | --- | --- |",
    )
    for (sender, recipient, message), sizes in conversation.sizes.items():
        says = (inspect.getdoc(spoken[message]) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        span = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,}-{max(sizes):,}"
        yield f"| {sender} | {recipient} | {message} | {len(sizes):,} | {span} | {says} |"
    for role in dict.fromkeys(arrow[0] for arrow in conversation.arrows):
        yield from (
            "",
            f"{role.capitalize()}:",
            "",
            "```mermaid",
            "stateDiagram-v2",
        )
        for who, state, heard, following in conversation.arrows:
            if who == role:
                label = f": {heard}" if heard else ""
                yield f"    {_state(state)} --> {_state(following)}{label}"
        yield "```"
    yield ""


def _state(name: str) -> str:
    return name.replace(" + ", "_and_")


def page() -> str:
    """The page of the documentation."""
    lines = [line for name, kind in PROTOCOLS.items() for line in chapter(name, kind.for_tests())]
    return "\n".join([INTRODUCTION, *lines])


if __name__ == "__main__":
    sys.stdout.write(page())
