"""Two rounds behind the same masks: their difference is the difference of what a node sent in them.

Source: Zhang et al. 2024, "Uncovering Attacks and Defenses in Secure Aggregation for Federated Deep Learning"
(arXiv 2410.09676), an attack on the masks of MicroSecAgg (PoPETs 2024), which are agreed once and used in
many rounds. We know its abstract; the attack here is its idea in the worst case for us: our protocols draw
new masks in every round, so the node is one whose random bits repeat, as those of a machine do that was
restored from a copy. `protocols.entropy.hedged` is the answer.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from attacks.deviation import Cast, Deviation
from attacks.toolkit.messages import Deviant, byte_fields
from protocols.engines.local import LocalRun
from protocols.entropy import Entropy, seeded
from protocols.messages import Report, verified_purpose
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.primitives.box import SEED_BYTES, BoxKey
from protocols.ring import WORD_BYTES, Integers
from protocols.schemes.verified import Verified
from protocols.session import Session

ANOTHER_ROUND = 8
"""The seed of all other parties in the second round."""


class MasksReused(Deviation):
    """Subtracts what a node sends in two rounds with the same random bits, its vector being zero in one."""

    roles = ("aggregator",)
    source: ClassVar[str] = (
        "Zhang et al. 2024 (arXiv 2410.09676) on masks of MicroSecAgg (PoPETs 2024) that many rounds share; "
        "of the paper we know the abstract"
    )
    not_covered: ClassVar[Mapping[str, str]] = {"plain": "the aggregator has every vector anyway"}

    def deviant(self, honest: Party, cast: Cast) -> Party:
        """See `Deviation.deviant`."""
        victim = cast.session.nodes[-1]
        before = _said_without_a_vector(cast, victim)
        return _Subtracting(self, honest, cast, victim, before)


class _Listening(Deviant):
    """Honest, and keeps what it hears from one node."""

    def __init__(self, honest: Party, victim: PartyId) -> None:
        super().__init__(honest, lambda envelope: [envelope])
        self.heard: list[Envelope] = []
        self._victim = victim

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        if envelope.sender == self._victim:
            self.heard.append(envelope)
        return super().handle(envelope)


class _Subtracting(_Listening):
    """Subtracts what the node said in the round before from what it says now."""

    def __init__(
        self, deviation: MasksReused, honest: Party, cast: Cast, victim: PartyId, before: list[Integers]
    ) -> None:
        super().__init__(honest, victim)
        self._deviation, self._cast, self._before = deviation, cast, before

    def handle(self, envelope: Envelope) -> list[Envelope]:
        """See `Party.handle`."""
        said = super().handle(envelope)
        if envelope.sender == self._victim:
            cast, known = self._cast, self._cast.vectors[self._victim]
            for now, before in zip(
                _vectors(cast, cast.session, self.heard, cast.entropy), self._before, strict=False
            ):
                self._deviation.changed = True
                found = self._deviation.read.get(self._victim)
                if found is None or not np.array_equal(found, known):
                    self._deviation.read[self._victim] = now - before
        return said


def _said_without_a_vector(cast: Cast, victim: PartyId) -> list[Integers]:
    """What the node sends the aggregator in another round: the same random bits, a vector of zeros."""
    session, protocol = cast.session, cast.protocol
    again = protocol.session(session.groups, session.length, session.capacity, bytes(16), session.context)
    others = seeded(ANOTHER_ROUND)

    def entropy(party: str) -> Entropy:
        return cast.entropy(party) if party == victim else others(party)

    vectors = {node: -vector for node, vector in cast.vectors.items()}  # other data than in this round
    vectors[victim] = np.zeros(session.length, np.int64)
    parties = protocol.parties(vectors, again, entropy)
    listening = parties[AGGREGATOR] = _Listening(parties[AGGREGATOR], victim)
    LocalRun(parties, protocol.codec(again), again).run()
    return _vectors(cast, again, listening.heard, entropy)


def _vectors(cast: Cast, session: Session, heard: list[Envelope], entropy: Any) -> list[Integers]:
    """Every field that could be a masked vector, as integers; the leader opens its own shares."""
    found: list[Integers] = []
    size = WORD_BYTES * session.length
    for envelope in heard:
        body = envelope.body
        if isinstance(body, Report) and isinstance(cast.protocol, Verified):
            mine = BoxKey(cast.protocol.key_exchange, entropy(AGGREGATOR)(SEED_BYTES))
            bound = verified_purpose(session, envelope.sender, AGGREGATOR, body.public)
            share = mine.open(body.shares[0], bound)
            field = cast.protocol.circuit(session).field
            encoded = field.decode(share[: field.size * session.length])
            found.append(np.array(field.signed(encoded), dtype=object))
            continue
        found += [
            np.frombuffer(data[at : at + size], "<i8")
            for _, data in byte_fields(body)
            for at in range(0, len(data) - size + 1, size)
        ]
    return found
