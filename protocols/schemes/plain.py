"""Everything in the clear: each node sends its vector, the aggregator adds. The baseline."""

from dataclasses import dataclass

from protocols.entropy import Entropy
from protocols.opened import opened_sums
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.protocol import Claims, Protocol
from protocols.ring import Integers, Residues, received, to_bytes, to_ring
from protocols.session import Session
from protocols.wire import Message


class Vector(Message, frozen=True):
    """A node's vector, 8·d bytes."""

    words: bytes


class _Node(Party):
    def __init__(self, me: PartyId, vector: Integers) -> None:
        super().__init__(me)
        self._vector = vector

    def start(self) -> list[Envelope]:
        self.output = True
        return [self.to(AGGREGATOR, Vector(to_bytes(to_ring(self._vector))))]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        raise self.unexpected(envelope)


class _Aggregator(Party):
    def __init__(self, protocol: "Plain", session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._vectors: Intake[Residues] = Intake(session.nodes)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Vector(words) if self.output is None:
                self._vectors.check(sender)
                session = self._session
                self._vectors.admit(sender, received(sender, words, session.length, session.capacity))
            case _:
                raise self.unexpected(envelope)
        return self.deadline() if self._vectors.complete else []

    def deadline(self) -> list[Envelope]:
        self.output = opened_sums(self._session, self._vectors.received, self._protocol.survivors)
        return []


@dataclass(frozen=True)
class Plain(Protocol):
    """No protection from the aggregator."""

    claims = Claims(
        sees="vectors",
        trust="the aggregator, with every node's vector",
        dropouts="the others are summed, down to the threshold",
        malicious_aggregator="it has everything anyway",
        source="baseline",
    )
    messages = (Vector,)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; uses no entropy."""
        return _Node(me, vector)

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(self, session)
