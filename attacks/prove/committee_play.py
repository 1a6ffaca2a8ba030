"""A server that tells holders different lists, played against the real parties of a committee protocol.

Several honest servers stand behind one name, one for each list: each hears only the nodes of its list. An
honest holder is told one of the lists; a corrupt one is run once for each list, forgets what it released, and
confirms to every honest holder the list that this holder was told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from attacks.prove.stage import EVERY, Copy, Stage
from protocols.credentials import Credentials, made_on_the_spot
from protocols.entropy import seeded
from protocols.errors import Abort, FaultyParty
from protocols.messages import Confirmed, Partials, PartSums
from protocols.one_list import ConfirmingCommittee
from protocols.party import AGGREGATOR, Envelope, PartyId
from protocols.releases import Releases
from protocols.ring import Integers


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
    return _Committee(protocol, nodes, lie, seed).played()


class _Committee(Stage):
    def __init__(self, protocol: ConfirmingCommittee, nodes: Sequence[PartyId], lie: Lie, seed: int) -> None:
        super().__init__(protocol, tuple(nodes), seed)
        self.lie = lie
        self._answered: set[int] = set()
        entropy, session = seeded(seed), self.session
        stories = range(len(lie.lists))
        kept = made_on_the_spot(session.trustees, entropy)
        for trustee in session.trustees:
            for story in stories if trustee in lie.corrupt else [lie.told.get(trustee, EVERY)]:
                own = Credentials(kept[trustee].identity, kept[trustee].roster, Releases())
                self.cast[trustee, story] = protocol.trustee(trustee, session, entropy(trustee), own)
        for node in session.nodes:
            self.cast[node, EVERY] = protocol.node(node, self.vectors[node], session, entropy(node))
        for story in stories:
            self.cast[AGGREGATOR, story] = protocol.aggregator(session, entropy(AGGREGATOR))

    def played(self) -> Played:
        """Play; what came of it."""
        self.play()
        rows = self.rows(len(self.lie.lists))
        exact = True
        for story, found in enumerate(rows):
            if found is not None:
                row, members = found
                exact &= self.exact(row, members) and set(members) == set(self.lie.lists[story])
                self.lines.append(f"the server opens list {story}: {', '.join(members)}: {row.tolist()}")
        opened = tuple(None if found is None else found[0] for found in rows)
        return Played(frozenset(self._answered), opened, exact, tuple(self.lines))

    def refused(self, copy: Copy, error: FaultyParty | Abort) -> None:
        """A holder's refusal matters."""
        if copy[0] in self.lie.told:
            self.lines.append(f"{copy[0]} answers nothing: {error}")

    def note(self, copy: Copy, envelope: Envelope) -> None:
        """Confirmations and answers of honest holders matter."""
        sender, story = copy
        if sender in self.lie.told:
            if isinstance(envelope.body, PartSums | Partials):
                self._answered.add(story)
                self.lines.append(f"{sender} answers for list {story}")
            elif isinstance(envelope.body, Confirmed) and envelope.recipient == AGGREGATOR:
                self.lines.append(f"{sender} is told list {story}, confirms it to the other holders")

    def hearers(self, copy: Copy, envelope: Envelope) -> list[Copy]:
        """In which stories the recipient hears what was said in the sender's."""
        (sender, story), recipient, lie = copy, envelope.recipient, self.lie
        here = [found for found in self.cast if found[0] == recipient]
        mine = [found for found in here if found[1] in (story, EVERY)]
        honest = sender in lie.told
        if recipient in lie.told or recipient in lie.corrupt:
            if isinstance(envelope.body, Confirmed) and honest:
                if recipient in lie.corrupt or lie.relayed(sender, recipient):
                    return here
                return []
            return mine if story != EVERY else here
        if recipient == AGGREGATOR:
            if sender in self.session.nodes:
                return [found for found in here if sender in lie.lists[found[1]]]
            settled = isinstance(envelope.body, Confirmed | PartSums | Partials)
            return here if story == EVERY or (honest and not settled) else mine
        # dealer and nodes are in all stories at once, and hear each word once
        return here if honest or story in (EVERY, 0) else []
