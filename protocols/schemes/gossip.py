"""Push-sum gossip: no centre, every node ends with the sum; for vectors that are noised already.

Sources: Jelasity, Montresor and Babaoglu 2005, "Gossip-based aggregation in large dynamic networks"; Kempe,
Dobra and Gehrke 2003 (push-sum). Deviations: see `protocols.primitives.push_sum`, which makes the result
exact. Each group is a network of its own; the aggregator hears the sum from every node, no more.
"""

from dataclasses import dataclass

from protocols.canonical import digest
from protocols.entropy import Entropy
from protocols.errors import Abort, FaultyParty
from protocols.opened import Lost, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.push_sum import Schedule, Wide, add, halves, schedule
from protocols.primitives.replicated import majority
from protocols.primitives.topology import Topology
from protocols.protocol import Claims, Protocol
from protocols.ring import Integers, Residues, from_bytes, received, to_bytes, to_ring
from protocols.session import Session
from protocols.wire import Message


class Push(Message, frozen=True):
    """Half of the sender's mass and weight in a round: 16·(d + 1) bytes of 128-bit integers."""

    turn: int
    words: bytes


class Sum(Message, frozen=True):
    """The sum of a group as the sender found it, 8·d bytes."""

    words: bytes


class _Node(Party):
    """Pushes, then waits for the nodes that push to it in the same round; pushes of later rounds are kept."""

    def __init__(self, me: PartyId, group: tuple[PartyId, ...], vector: Integers, plan: Schedule) -> None:
        super().__init__(me)
        self._group = group
        self._plan = plan
        self._mass = plan.begin(vector)
        self._turn = 0
        place = group.index(me)
        self._to = [group[partner] for partner in plan.partners[:, place]]
        self._from = [{group[sender] for sender in plan.senders(turn, place)} for turn in range(plan.rounds)]
        self._early: dict[tuple[int, PartyId], Wide] = {}

    def start(self) -> list[Envelope]:
        said = self._push() if self._plan.rounds else self._finish()
        return said + self._go_on()

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Push(turn, words) if self._turn <= turn < self._plan.rounds:
                if sender not in self._from[turn] or (turn, sender) in self._early:
                    raise FaultyParty(sender, f"is not to push to {self.me} in round {turn}, or has done so")
                self._early[turn, sender] = received(sender, words, self._mass.size).reshape(self._mass.shape)
            case _:
                raise self.unexpected(envelope)
        return self._go_on()

    def _go_on(self) -> list[Envelope]:
        """End the rounds for which all have pushed."""
        said: list[Envelope] = []
        while self._turn < self._plan.rounds:
            awaited = [(self._turn, sender) for sender in self._from[self._turn]]
            if not all(push in self._early for push in awaited):
                break
            for push in awaited:
                add(self._mass, self._early.pop(push))
            self._turn += 1
            said += self._push() if self._turn < self._plan.rounds else self._finish()
        return said

    def _push(self) -> list[Envelope]:
        self._mass, goes = halves(self._mass)
        return [self.to(self._to[self._turn], Push(self._turn, to_bytes(goes)))]

    def _finish(self) -> list[Envelope]:
        try:
            self.output = self._plan.total(self._mass)
        except ValueError as error:
            raise Abort(f"{self.me} ends with no sum: {error}") from error
        return [self.to(AGGREGATOR, Sum(to_bytes(to_ring(self.output))))]


class _Aggregator(Party):
    def __init__(self, session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._session = session
        self._sums: Intake[bytes] = Intake(session.nodes)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Sum(words) if self.output is None:
                self._sums.check(envelope.sender)
                received(envelope.sender, words, self._session.length)
                self._sums.admit(envelope.sender, words)
            case _:
                raise self.unexpected(envelope)
        return self.deadline() if self._sums.complete else []

    def deadline(self) -> list[Envelope]:
        """Open the groups of which most nodes say the same."""
        rows: list[Residues] = []
        members: list[tuple[PartyId, ...]] = []
        lost: list[Lost] = []
        for index, group in enumerate(self._session.groups):
            said = {node: self._sums.received[node] for node in group if node in self._sums.received}
            agreed, others = majority(said) if 2 * len(said) > len(group) else (None, [])
            if agreed is None:
                missing = tuple(node for node in group if node not in said)
                lost.append(Lost(index, missing, f"{len(said)} of {len(group)} ended, and most must agree"))
                continue
            rows.append(from_bytes(agreed))
            members.append(group)
            self.late_faults += [
                FaultyParty(node, "found another sum than most of its group") for node in others
            ]
        self.output = opened_rows(self._session, rows, members, lost)
        return []


@dataclass(frozen=True)
class Gossip(Protocol):
    """Every node pushes halves of what it has to its neighbours until all have the sum.

    The first receiver reads the sender's vector: every vector must carry a whole dose of noise, as in
    groups of one.

    Parameters
    ----------
    topology
        ``complete``, ``ring``, ``regular`` or ``erdos-renyi``.
    degree
        Neighbours in a regular graph, mean number of neighbours in an Erdős–Rényi graph.
    """

    topology: Topology = "complete"
    degree: int = 4

    claims = Claims(
        sees="sums",
        trust="every node, with the vectors of those who push to it",
        dropouts="one silent node costs its group; the other groups are opened",
        malicious_aggregator="nothing: it only listens",
        source="Jelasity, Montresor and Babaoglu 2005; Kempe, Dobra and Gehrke 2003",
        nodes_see="vectors",
    )
    messages = (Push, Sum)

    def plan(self, session: Session, index: int) -> Schedule:
        """The rounds of one group; `ValueError` if its topology cannot be or does not converge."""
        seed = digest("securenb gossip", session.digest, index)
        group, capacity = session.groups[index], session.capacity
        return schedule(self.topology, len(group), self.degree, capacity.largest_input, seed)

    def survivors(self, size: int) -> int:
        """The whole group: with a node goes the mass it holds. `ValueError` for any other threshold."""
        return self.whole_group(size)

    def check(self, session: Session) -> None:
        """See `Protocol.check`; every group's topology must converge."""
        super().check(session)
        for index in range(len(session.groups)):
            self.plan(session, index)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; uses no entropy."""
        index = session.group_of[me]
        return _Node(me, session.groups[index], vector, self.plan(session, index))

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(session)
