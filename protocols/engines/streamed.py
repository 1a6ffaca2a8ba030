"""A run in one process whose nodes are made one after another: for hundreds of thousands of them.

A node is made, hears what trustees and server have said to it, speaks, and is let go once it has finished;
what it said is delivered before the next node is made. Parties, bytes, faults and transcript are those of
`LocalRun`, and so is what is opened.
"""

from collections.abc import Iterable

from protocols.engines.faults import NO_FAULTS, Faults
from protocols.engines.local import LocalRun
from protocols.entropy import EntropyFor
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.protocol import Protocol
from protocols.ring import Integers
from protocols.session import Session


class _LetGo(Party):
    """Stands for all nodes that have finished and are no longer kept."""

    def __init__(self) -> None:
        super().__init__("")
        self.output = True

    def handle(self, envelope: Envelope) -> list[Envelope]:
        self.me = envelope.recipient
        raise self.unexpected(envelope)


class StreamedRun(LocalRun):
    """One run in one process, without all nodes in memory at once.

    Nothing is gained where a node speaks more than once: it is kept until it has finished.

    Parameters
    ----------
    protocol, session, entropy
        As for `Protocol.parties`.
    vectors
        Each node of the session once, in any order, with its vector (d,) int64; read one after another.
    faults
        What goes wrong.

    Raises
    ------
    ValueError
        If the nodes of the protocol need credentials; during the run, if `vectors` has a node twice, leaves
        one out, or has one that the session has no place for.
    """

    def __init__(
        self,
        protocol: Protocol,
        vectors: Iterable[tuple[PartyId, Integers]],
        session: Session,
        entropy: EntropyFor,
        faults: Faults = NO_FAULTS,
    ) -> None:
        self._protocol, self._vectors, self._entropy = protocol, vectors, entropy
        self._session = session
        kept = protocol.trustees(session, entropy)
        kept[AGGREGATOR] = protocol.aggregator(session, entropy(AGGREGATOR))
        self._first = tuple(kept.items())
        self._all: dict[PartyId, Party] = dict.fromkeys(session.nodes, _LetGo()) | kept
        self._waiting: dict[PartyId, list[tuple[int, Envelope]]] = {node: [] for node in session.nodes}
        super().__init__(self._all, protocol.codec(session), session, faults)

    def _begin(self) -> None:
        for me, party in self._first:
            self._ask(me, party.start)
        for node, vector in self._vectors:
            if node not in self._waiting:
                raise ValueError(f"{node!r} is not in the session, or its vector was given twice")
            self._protocol.check_vectors({node: vector}, self._session)
            self._visit(node, self._protocol.node(node, vector, self._session, self._entropy(node)))
        if self._waiting:
            raise ValueError(f"no vector of {', '.join(list(self._waiting)[:5])}")

    def _visit(self, node: PartyId, party: Party) -> None:
        """Let a node hear what was said to it and speak, and keep it only if it has not finished."""
        let_go, self._all[node] = self._all[node], party
        self._round = 0
        waiting = self._waiting.pop(node)
        self._ask(node, party.start)
        for self._round, envelope in waiting:
            super()._send(envelope.sender, envelope)
        self._deliver_all()
        if party.output is not None:
            self._all[node] = let_go

    def _send(self, me: PartyId, envelope: Envelope) -> None:
        waiting = self._waiting.get(envelope.recipient)
        if waiting is None:
            super()._send(me, envelope)
        else:  # not yet encoded: the frames of all nodes would be there at once
            waiting.append((self._round, envelope))
