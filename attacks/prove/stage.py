"""Real parties on a stage where a server tells several stories at once.

Parties that work with the server are there once for each story, with the same secrets; the server is one
honest server for each story. Who hears whose words in which stories is what a play decides.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from protocols.errors import Abort, FaultyParty
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.protocol import Protocol
from protocols.ring import Capacity, Integers
from protocols.session import Session

LENGTH, BOUND = 3, 1000
MOST_DEADLINES = 8
EVERY = -1
"""The story of those who are in all of them at once."""

Copy = tuple[PartyId, int]
"""A party as it is in one story."""


class Stage(ABC):
    """One group, one run; messages arrive in a random order.

    Parameters
    ----------
    protocol, nodes
        Whose parties, and the group.
    seed
        Of vectors, keys and the order in which messages arrive.
    """

    def __init__(self, protocol: Protocol, nodes: tuple[PartyId, ...], seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        capacity = Capacity(bound=BOUND, nodes=len(nodes))
        self.session: Session = protocol.session((nodes,), LENGTH, capacity, bytes(range(16)))
        self.vectors = {node: self.rng.integers(-BOUND, BOUND, LENGTH, endpoint=True) for node in nodes}
        self.codec = protocol.codec(self.session)
        self.cast: dict[Copy, Party] = {}
        self.lines: list[str] = []
        self._queue: list[tuple[Copy, Envelope]] = []

    @abstractmethod
    def hearers(self, copy: Copy, envelope: Envelope) -> list[Copy]:
        """Who hears what `copy` says to the envelope's recipient."""

    def note(self, copy: Copy, envelope: Envelope) -> None:  # noqa: B027 - most do not matter
        """Write down what `copy` says, if it matters."""

    def play(self) -> None:
        """Until no party speaks any more, deadlines included."""
        for copy, party in self.cast.items():
            self._ask(copy, party.start)
        for _ in range(MOST_DEADLINES):
            self._deliver()
            for copy, party in self.cast.items():
                if party.output is None:
                    self._ask(copy, party.deadline)
        self._deliver()

    def rows(self, stories: int) -> list[tuple[Integers, tuple[PartyId, ...]] | None]:
        """What the server opened in each story, and whose sum it is."""
        found: list[tuple[Integers, tuple[PartyId, ...]] | None] = []
        for story in range(stories):
            output = self.cast[AGGREGATOR, story].output
            opened = isinstance(output, Opened)
            found.append((output.rows[0], output.members[0]) if opened else None)
        return found

    def exact(self, row: Integers, members: tuple[PartyId, ...]) -> bool:
        """Whether a row is the sum of its members."""
        return bool(np.array_equal(row, sum(self.vectors[node] for node in members)))

    def _ask(self, copy: Copy, question: Callable[[], list[Envelope]]) -> bool:
        """Let `copy` speak; whether it took what it was told."""
        try:
            said = question()
        except (FaultyParty, Abort) as error:
            self.refused(copy, error)
            if isinstance(error, Abort):
                self.cast[copy].output = error
            return False
        for envelope in said:
            self.note(copy, envelope)
            self._queue += [(hearer, envelope) for hearer in self.hearers(copy, envelope)]
        return True

    def refused(self, copy: Copy, error: FaultyParty | Abort) -> None:  # noqa: B027 - most do not matter
        """Write down that `copy` said nothing, if it matters."""

    def _deliver(self) -> None:
        """Everything; what comes too early for a server, which hears several stories, it hears once more."""
        for _ in range(MOST_DEADLINES):
            early = []
            while self._queue:
                hearer, envelope = self._queue.pop(int(self.rng.integers(len(self._queue))))
                data = self.codec.encode(envelope.sender, envelope.recipient, envelope.body)
                body = self.codec.decode(envelope.sender, envelope.recipient, data)
                again = Envelope(envelope.sender, envelope.recipient, body)
                party = self.cast[hearer]
                if isinstance(party.output, Abort):
                    continue
                taken = self._ask(hearer, lambda: party.handle(again))  # noqa: B023 - called at once
                if not taken and hearer[0] == AGGREGATOR:
                    early.append((hearer, envelope))
            self._queue = early
        self._queue = []
