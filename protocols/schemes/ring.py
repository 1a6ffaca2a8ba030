"""Secure sum around a ring: each node adds its vector to a hidden running total and passes it on.

Source: Kantarcıoğlu, Vaidya and Clifton 2003, "Privacy preserving naive Bayes classifier for horizontally
partitioned data" (the secure sum of Clifton et al. 2002), modulo 2^64. Each group is a ring in the order in
which the session names it; its first node, the leader, hides the total behind a uniform vector and takes it
off in the end. Deviation: the leader tells the sum to the aggregator, not to all.
"""

from dataclasses import dataclass

from protocols.entropy import Entropy, hedged
from protocols.opened import Lost, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.protocol import Claims, Protocol
from protocols.ring import WORD_BYTES, Integers, Residues, from_bytes, received, to_bytes, to_ring
from protocols.session import Session
from protocols.wire import Message


class Running(Message, frozen=True):
    """The total of the nodes before, behind the leader's uniform vector; 8·d bytes."""

    words: bytes


class Sum(Message, frozen=True):
    """The sum of a group, 8·d bytes."""

    words: bytes


class _Node(Party):
    """Listens to its predecessor, once."""

    def __init__(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> None:
        super().__init__(me)
        group = session.groups[session.group_of[me]]
        place = group.index(me)
        self._next = group[(place + 1) % len(group)]
        self._running: Intake[Residues] = Intake([group[place - 1]])
        self._vector = to_ring(vector)
        self._length = session.length
        self._hiding = from_bytes(entropy(WORD_BYTES * session.length)) if place == 0 else None

    def start(self) -> list[Envelope]:
        return [] if self._hiding is None else self._pass_on(self._hiding)

    def _pass_on(self, total: Residues) -> list[Envelope]:
        return [self.to(self._next, Running(to_bytes(total + self._vector)))]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Running(words):
                self._running.check(envelope.sender)
                total = received(envelope.sender, words, self._length)
                self._running.admit(envelope.sender, total)
            case _:
                raise self.unexpected(envelope)
        self.output = True
        if self._hiding is None:
            return self._pass_on(total)
        return [self.to(AGGREGATOR, Sum(to_bytes(total - self._hiding)))]


class _Aggregator(Party):
    def __init__(self, session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._session = session
        self._sums: Intake[Residues] = Intake(group[0] for group in session.groups)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Sum(words) if self.output is None:
                self._sums.check(envelope.sender)
                row = received(envelope.sender, words, self._session.length)
                self._sums.admit(envelope.sender, row)
            case _:
                raise self.unexpected(envelope)
        return self.deadline() if self._sums.complete else []

    def deadline(self) -> list[Envelope]:
        groups, sums = self._session.groups, self._sums.received
        whole = [group for group in groups if group[0] in sums]
        # the aggregator is not told where a ring broke: all that it misses is word from the leader
        lost = [
            Lost(index, group[:1], f"the ring of {group[0]} did not close")
            for index, group in enumerate(groups)
            if group[0] not in sums
        ]
        self.output = opened_rows(self._session, [sums[group[0]] for group in whole], whole, lost)
        return []


@dataclass(frozen=True)
class Ring(Protocol):
    """A running total around each group, all or nothing."""

    claims = Claims(
        sees="sums",
        trust="the two neighbours of a node, not to collude; the leader, to tell the sum",
        dropouts="one silent node costs its group; the other groups are opened",
        malicious_aggregator="nothing: it only listens",
        source="Kantarcıoğlu, Vaidya and Clifton 2003, secure sum",
    )
    messages = (Running, Sum)
    smallest_group = 3

    def partners(self, size: int) -> int:
        """See `Protocol.partners`; its total passes through all."""
        return size - 1

    def keeps_from(self, size: int, *, malicious: bool) -> int:
        """See `Protocol.keeps_from`."""
        return 1

    def survivors(self, size: int) -> int:
        """The whole group: a ring with a gap does not close. `ValueError` for any other threshold."""
        return self.whole_group(size)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; the leader draws 8·d bytes."""
        return _Node(me, vector, session, hedged(entropy, session.digest, me))

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(session)
