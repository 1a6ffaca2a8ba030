"""Two mixers who do not talk about what they see: each gets a random half of every vector, and adds.

Source: Yi and Zhang 2009, "Privacy-preserving naive Bayes classification on distributed data via
semi-trusted mixers", multi-party protocol: each site sends messages to two mixers. Deviation: their mixers
go on to compute a classifier between them; ours add their shares and hand the sums to the aggregator.
"""

from dataclasses import dataclass

from protocols.entropy import Entropy, hedged
from protocols.errors import Abort, FaultyParty, TooFewParties
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.protocol import Claims, Protocol
from protocols.ring import WORD_BYTES, Integers, Residues, from_bytes, received, to_bytes, to_ring
from protocols.schemes._sums import Row, Sums, opened_from, read_sums, sums_of
from protocols.session import Session
from protocols.wire import Message

MIXERS: tuple[PartyId, PartyId] = ("mixer-1", "mixer-2")


class Share(Message, frozen=True):
    """One of two vectors, each of them uniform, that add up to the node's; 8·d bytes."""

    words: bytes


class Present(Message, frozen=True):
    """Whose shares a mixer has, by place in the session."""

    nodes: tuple[int, ...]


def split(vector: Residues, random: bytes) -> tuple[Residues, Residues]:
    """Two vectors that add up to `vector` (d,); with 8·d uniform bytes each of them alone is uniform."""
    share = from_bytes(random)
    return vector - share, share


class _Node(Party):
    def __init__(self, me: PartyId, vector: Integers, entropy: Entropy) -> None:
        super().__init__(me)
        self._shares = split(to_ring(vector), entropy(WORD_BYTES * len(vector)))

    def start(self) -> list[Envelope]:
        self.output = True
        return [
            self.to(mixer, Share(to_bytes(share))) for mixer, share in zip(MIXERS, self._shares, strict=True)
        ]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        raise self.unexpected(envelope)


class _Mixer(Party):
    """Tells the other whose shares it has, once; adds the shares of those whom both have."""

    def __init__(self, protocol: "Mixer", me: PartyId, session: Session) -> None:
        super().__init__(me)
        self._protocol = protocol
        self._session = session
        (self._other,) = set(MIXERS) - {me}
        self._shares: Intake[Residues] = Intake(session.nodes)
        self._present: Intake[frozenset[PartyId]] = Intake([self._other])
        self._told = False

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Share(words) if not self._told:
                self._shares.check(sender)
                self._shares.admit(sender, received(sender, words, self._session.length))
            case Present(nodes):
                self._present.check(sender)
                self._present.admit(sender, self._named(nodes))
            case _:
                raise self.unexpected(envelope)
        return self.deadline() if self._shares.complete else self._release()

    def deadline(self) -> list[Envelope]:
        if self._told:
            return self._release()
        self._told = True
        have = tuple(i for i, node in enumerate(self._session.nodes) if node in self._shares.received)
        return [self.to(self._other, Present(have)), *self._release()]

    def _named(self, places: tuple[int, ...]) -> frozenset[PartyId]:
        nodes = self._session.nodes
        if list(places) != sorted(set(places) & set(range(len(nodes)))):
            raise FaultyParty(self._other, "has shares of nodes that are not in the session")
        return frozenset(nodes[place] for place in places)

    def _release(self) -> list[Envelope]:
        if not (self._told and self._present.complete) or self.output is not None:
            return []
        self.output = True
        both = self._present.received[self._other]
        shares = {node: share for node, share in self._shares.received.items() if node in both}
        return [self.to(AGGREGATOR, sums_of(self._session, shares, self._protocol.survivors))]


class _Aggregator(Party):
    def __init__(self, protocol: "Mixer", session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._rows: Intake[list[Row]] = Intake(MIXERS)
        self._waited = False

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Sums() as sums:
                self._rows.check(envelope.sender)
                rows = read_sums(self._session, envelope.sender, sums, self._protocol.survivors)
                self._rows.admit(envelope.sender, rows)
            case _:
                raise self.unexpected(envelope)
        if self._rows.complete:
            self._open()
        return []

    def deadline(self) -> list[Envelope]:
        if self._waited:
            raise TooFewParties(self._rows.missing, "a mixer is silent")
        self._waited = True  # mixers may have waited for a silent party, too
        return []

    def _open(self) -> None:
        rows: list[Row] = []
        for (present, one), (same, other) in zip(*self._rows.received.values(), strict=True):
            if present != same or (one is None) != (other is None):
                raise Abort("the mixers contradict each other about who answered")
            rows.append((present, None if one is None or other is None else one + other))
        self.output = opened_from(self._session, rows)


@dataclass(frozen=True)
class Mixer(Protocol):
    """Vectors split between two mixers, who add."""

    claims = Claims(
        sees="sums",
        trust="the two mixers, not to collude and to add correctly; channels, to be private",
        dropouts="nodes: the others are summed, down to the threshold; one silent mixer ends the run",
        malicious_aggregator="nothing: it only listens",
        source="Yi and Zhang 2009, semi-trusted mixers",
    )
    messages = (Share, Present, Sums)
    smallest_group = 3

    def keeps_from(self, size: int, *, malicious: bool) -> int:
        """See `Protocol.keeps_from`."""
        return size - 2

    def trustee_ids(self, nodes: object) -> tuple[PartyId, ...]:
        """The two mixers."""
        return MIXERS

    def trustee(self, me: PartyId, session: Session, entropy: Entropy) -> Party:
        """A mixer; uses no entropy."""
        return _Mixer(self, me, session)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; draws 8·d bytes."""
        return _Node(me, vector, hedged(entropy, session.digest, me))

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(self, session)
