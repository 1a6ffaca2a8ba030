"""What secure aggregation should be: a trusted party adds, and tells the aggregator only sums.

The measure of every other scheme; `Ideal.open` is for simulations of 10^5 nodes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocols.entropy import Entropy
from protocols.errors import TooFewParties
from protocols.opened import Opened, opened_sums
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.protocol import Claims, Protocol
from protocols.releases import Releases
from protocols.ring import Integers, Residues, received, to_bytes, to_ring
from protocols.schemes._sums import Sums, opened_from, read_sums, sums_of
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule
from protocols.wire import Message

FUNCTIONALITY: PartyId = "functionality"


class Vector(Message, frozen=True):
    """A node's vector, 8·d bytes."""

    words: bytes


class _Node(Party):
    def __init__(self, me: PartyId, vector: Integers) -> None:
        super().__init__(me)
        self._vector = vector

    def start(self) -> list[Envelope]:
        self.output = True
        return [self.to(FUNCTIONALITY, Vector(to_bytes(to_ring(self._vector))))]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        raise self.unexpected(envelope)


class _Functionality(Party):
    def __init__(self, protocol: "Ideal", session: Session) -> None:
        super().__init__(FUNCTIONALITY)
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
        self._protocol.claim(self._session)
        self.output = True
        sums = sums_of(self._session, self._vectors.received, self._protocol.survivors)
        return [self.to(AGGREGATOR, sums)]


class _Aggregator(Party):
    def __init__(self, protocol: "Ideal", session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._waited = False

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Sums() as sums if envelope.sender == FUNCTIONALITY and self.output is None:
                rows = read_sums(self._session, FUNCTIONALITY, sums, self._protocol.survivors)
                self.output = opened_from(self._session, rows)
            case _:
                raise self.unexpected(envelope)
        return []

    def deadline(self) -> list[Envelope]:
        if self._waited:
            raise TooFewParties([FUNCTIONALITY], "the functionality is silent")
        self._waited = True  # it may have waited for a silent party, too
        return []


@dataclass(frozen=True)
class Ideal(Protocol):
    """A trusted adder: what the others do without one.

    Parameters
    ----------
    minimum_group
        No group is run, or opened, with fewer nodes.
    releases
        Where the functionality keeps what it released, so that no session is released twice, whichever party
        asks. `None`: runs know nothing of one another, as in a simulation.
    """

    minimum_group: int = 1
    releases: Releases | None = field(default=None, repr=False, compare=False)

    claims = Claims(
        sees="sums",
        trust="the functionality, with every node's vector",
        dropouts="the others are summed, down to the threshold",
        malicious_aggregator="nothing: it only listens",
        source="the ideal world of simulation-based security (Canetti 2001)",
    )
    messages = (Vector, Sums)

    def survivors(self, size: int) -> int:
        """See `Protocol.survivors`; never fewer than the minimum group."""
        if size < self.minimum_group:
            raise RefusedSession(
                SessionRule.SMALLEST_GROUP,
                f"a group of {size} is smaller than the minimum of {self.minimum_group}",
            )
        return max(super().survivors(size), self.minimum_group)

    def claim(self, session: Session) -> None:
        """Claim the release of `session`; `Abort` if it was released before."""
        if self.releases is not None:
            self.releases.claim(FUNCTIONALITY, session)

    def open(self, vectors: Mapping[PartyId, Integers], session: Session) -> Opened:
        """What a run opens, computed without messages.

        Parameters
        ----------
        vectors
            Those that arrive, (d,) int64 by node; the other nodes are silent.

        Raises
        ------
        ValueError
            For a vector that the session has no place for.
        Abort
            As in a run: `TooFewParties`, or a second release.
        """
        self.check_vectors(vectors, session)
        self.claim(session)
        return opened_sums(session, {n: to_ring(v) for n, v in vectors.items()}, self.survivors)

    def trustee_ids(self, nodes: object) -> tuple[PartyId, ...]:
        """The functionality."""
        return (FUNCTIONALITY,)

    def trustee(self, me: PartyId, session: Session, entropy: Entropy) -> Party:
        """The functionality; uses no entropy."""
        return _Functionality(self, session)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; uses no entropy."""
        return _Node(me, vector)

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(self, session)
