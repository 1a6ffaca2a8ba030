"""A server that tells holders different lists, played against the real parties of a committee protocol.

Several honest servers stand behind one name, one for each list: each hears only the nodes of its list. An
honest holder is told one of the lists; a corrupt one is run once for each list, forgets what it released, and
confirms to every honest holder the list that this holder was told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from protocols.credentials import Credentials, made_on_the_spot
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.messages import Partials, PartSums
from protocols.one_list import Confirmed, ConfirmingCommittee
from protocols.opened import Opened
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.releases import Releases
from protocols.ring import Capacity, Integers
from protocols.session import Session

LENGTH, BOUND = 3, 1000
MOST_DEADLINES = 8

Copy = tuple[PartyId, int]
"""A party as it is in the story of one list; whoever is in all stories is in the one with number -1."""
EVERY = -1


@dataclass(frozen=True)
class Lie:
    """What the server does.

    Attributes
    ----------
    lists
        The lists of members, each at least as long as the threshold.
    told
        For each honest holder the index of the list that it is told.
    corrupt
        Holders that work with the server.
    relayed
        Whether a confirmation from one honest holder to another is passed on; by default all are.
    """

    lists: Sequence[Sequence[PartyId]]
    told: Mapping[PartyId, int]
    corrupt: frozenset[PartyId] = frozenset()
    relayed: Callable[[PartyId, PartyId], bool] = field(default=lambda *_: True)


@dataclass(frozen=True, eq=False)
class Played:
    """What came of it.

    Attributes
    ----------
    answered
        The lists for which an honest holder answered; more than one are combined to other sums, whether or
        not any of them has a quorum of answers.
    opened
        For each list the sum that was opened, or `None`.
    exact
        Whether every opened sum is that of its list.
    lines
        What happened, a line each, in words.
    """

    answered: frozenset[int]
    opened: tuple[Integers | None, ...]
    exact: bool
    lines: tuple[str, ...]

    @property
    def broken(self) -> bool:
        """Whether honest holders answered for two lists of one group."""
        return len(self.answered) > 1


def play(protocol: ConfirmingCommittee, nodes: Sequence[PartyId], lie: Lie, seed: int = 7) -> Played:
    """Run the real parties under the lie; messages arrive in a random order."""
    return _Stage(protocol, nodes, lie, seed).played()


class _Stage:
    def __init__(self, protocol: ConfirmingCommittee, nodes: Sequence[PartyId], lie: Lie, seed: int) -> None:
        self._lie, self._protocol = lie, protocol
        self._rng = np.random.default_rng(seed)
        capacity = Capacity(bound=BOUND, nodes=len(nodes))
        self._session = protocol.session((tuple(nodes),), LENGTH, capacity, bytes(range(16)))
        self.vectors = {
            node: self._rng.integers(-BOUND, BOUND, LENGTH, endpoint=True) for node in self._session.nodes
        }
        self._codec = protocol.codec(self._session)
        self._parties = self._cast(self._session, seed)
        self._queue: list[tuple[Copy, Copy, Envelope]] = []
        self.lines: list[str] = []
        self._answered: set[int] = set()

    def _cast(self, session: Session, seed: int) -> dict[Copy, Party]:
        entropy, lie, protocol = seeded(seed), self._lie, self._protocol
        stories = range(len(lie.lists))
        kept = made_on_the_spot(session.trustees, entropy)
        cast: dict[Copy, Party] = {}
        for trustee in session.trustees:
            for story in stories if trustee in lie.corrupt else [lie.told.get(trustee, EVERY)]:
                own = Credentials(kept[trustee].identity, kept[trustee].roster, Releases())
                cast[trustee, story] = protocol.trustee(trustee, session, entropy(trustee), own)
        for node in session.nodes:
            cast[node, EVERY] = protocol.node(node, self.vectors[node], session, entropy(node))
        for story in stories:
            cast[AGGREGATOR, story] = protocol.aggregator(session, entropy(AGGREGATOR))
        return cast

    def played(self) -> Played:
        for copy, party in self._parties.items():
            self._ask(copy, party.start)
        for _ in range(MOST_DEADLINES):
            self._deliver()
            for copy, party in self._parties.items():
                if party.output is None:
                    self._ask(copy, party.deadline)
        self._deliver()
        rows: list[Integers | None] = []
        exact = True
        for story, members in enumerate(self._lie.lists):
            output = self._parties[AGGREGATOR, story].output
            if not isinstance(output, Opened):
                rows.append(None)
                continue
            [row], [summed] = output.rows, output.members
            exact &= bool(np.array_equal(row, sum(self.vectors[node] for node in summed)))
            exact &= set(summed) == set(members)
            rows.append(row)
            self.lines.append(f"the server opens list {story}: {', '.join(summed)}: {row.tolist()}")
        return Played(frozenset(self._answered), tuple(rows), exact, tuple(self.lines))

    def _ask(self, copy: Copy, question: Callable[[], list[Envelope]]) -> None:
        try:
            said = question()
        except (FaultyParty, Abort) as error:
            if copy[0] in self._lie.told:
                self.lines.append(f"{copy[0]} answers nothing: {error}")
            if isinstance(error, Abort):
                self._parties[copy].output = error
            return
        for envelope in said:
            self._note(copy, envelope)
            for recipient in self._copies(copy, envelope):
                self._queue.append((copy, recipient, envelope))

    def _note(self, copy: Copy, envelope: Envelope) -> None:
        sender, story = copy
        if sender in self._lie.told:
            if isinstance(envelope.body, PartSums | Partials):
                self._answered.add(story)
                self.lines.append(f"{sender} answers for list {story}")
            elif isinstance(envelope.body, Confirmed) and envelope.recipient == AGGREGATOR:
                self.lines.append(f"{sender} is told list {story}, confirms it to the other holders")

    def _copies(self, copy: Copy, envelope: Envelope) -> list[Copy]:
        """In which stories the recipient hears what was said in the sender's."""
        (sender, story), recipient, lie = copy, envelope.recipient, self._lie
        here = [found for found in self._parties if found[0] == recipient]
        mine = [found for found in here if found[1] in (story, EVERY)]
        honest = sender in lie.told
        if recipient in lie.told or recipient in lie.corrupt:
            if isinstance(envelope.body, Confirmed) and honest:
                if recipient in lie.corrupt or lie.relayed(sender, recipient):
                    return here
                return []
            return mine if story != EVERY else here
        if recipient == AGGREGATOR:
            if sender in self._session.nodes:
                return [found for found in here if sender in lie.lists[found[1]]]
            settled = isinstance(envelope.body, Confirmed | PartSums | Partials)
            return here if story == EVERY or (honest and not settled) else mine
        # dealer and nodes are in all stories at once, and hear each word once
        return here if honest or story in (EVERY, 0) else []

    def _deliver(self) -> None:
        while self._queue:
            _, recipient, envelope = self._queue.pop(int(self._rng.integers(len(self._queue))))
            data = self._codec.encode(envelope.sender, envelope.recipient, envelope.body)
            body = self._codec.decode(envelope.sender, envelope.recipient, data)
            again = Envelope(envelope.sender, envelope.recipient, body)
            party = self._parties[recipient]
            if not isinstance(party.output, Abort):
                self._ask(recipient, lambda: party.handle(again))  # noqa: B023 - called at once
