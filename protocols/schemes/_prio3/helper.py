"""What all aggregators of the protocol `verified` do, and its helpers, who verify shares and add them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from protocols.entropy import Entropy
from protocols.errors import FaultyParty, blaming
from protocols.opened import check_members
from protocols.party import AGGREGATOR, Envelope, Party, PartyId
from protocols.primitives.box import SEED_BYTES, BoxKey, KeyExchange
from protocols.primitives.vdaf.field import Elements
from protocols.primitives.vdaf.prio3 import Prio3, State
from protocols.releases import Releases
from protocols.ring import BITS, Integers, Residues
from protocols.schemes._prio3.messages import (
    Key,
    Open,
    Relay,
    Sums,
    Verifier,
    VerifyKey,
    nonce_of,
    purpose,
)
from protocols.session import Session

NoiseFor = Callable[[PartyId, Session, int], Integers]
"""`noise(aggregator, session, group)` is what that aggregator adds to that group's row, (d,) int64."""


@dataclass(frozen=True, eq=False)
class Terms:
    """What an aggregator goes by.

    Attributes
    ----------
    session
        What all agree on.
    prio3
        How reports are shared and verified.
    survivors
        The fewest nodes that a group of the given size is opened with.
    noise
        What this aggregator adds to each row, if anything.
    releases
        Where it keeps what it released, if anywhere.
    key_exchange
        What boxes for it are sealed with.
    """

    session: Session
    prio3: Prio3
    survivors: Callable[[int], int]
    noise: NoiseFor | None
    releases: Releases | None
    key_exchange: KeyExchange


def total(prio3: Prio3, shares: Sequence[Elements], noise: Integers | None) -> Elements:
    """An aggregator's share of a row: the sum of its output shares plus its own noise."""
    elements = prio3.circuit.field
    row = elements.zeros(prio3.circuit.outputs)
    for share in shares:
        row = elements.add(row, share)
    return row if noise is None else elements.add(row, elements.elements(noise))


def in_ring(prio3: Prio3, row: Elements) -> Residues:
    """The integers of either sign that a row stands for."""
    return np.array([value % (1 << BITS) for value in prio3.circuit.field.signed(row)], dtype=np.uint64)


class Verifying(Party):
    """What leader and helpers have in common: a key, and what they make of their shares."""

    def __init__(self, me: PartyId, terms: Terms, entropy: Entropy) -> None:
        super().__init__(me)
        self._terms = terms
        self._session = terms.session
        self._prio3 = terms.prio3
        self._pair = BoxKey(terms.key_exchange, entropy(SEED_BYTES))
        self._place = (AGGREGATOR, *self._session.trustees).index(me)
        self._states: dict[int, State] = {}

    def _verify(self, verify_key: bytes, node: int, public: bytes, share: bytes) -> bytes:
        """Our verifier share of a report; `ValueError` if our part of the report is unusable."""
        name = self._session.nodes[node]
        opened = self._pair.open(share, purpose(self._session, name, self.me, public))
        state, verifier = self._prio3.verify_init(
            verify_key, self._place, nonce_of(self._session, name), public, opened
        )
        self._states[node] = state
        return verifier

    def _release(self, groups: Sequence[int], outputs: Sequence[Sequence[Elements]]) -> list[Elements]:
        """Our shares of the rows of some groups, noise included: the one release of this session."""
        if self._terms.releases is not None:
            self._terms.releases.claim(self.me, self._session)
        noise = self._terms.noise
        return [
            total(self._prio3, shares, None if noise is None else noise(self.me, self._session, group))
            for group, shares in zip(groups, outputs, strict=True)
        ]


class Helper(Verifying):
    def __init__(self, me: PartyId, terms: Terms, entropy: Entropy) -> None:
        super().__init__(me, terms, entropy)
        self._verify_key: bytes | None = None
        self._relayed: dict[int, Relay] = {}

    def start(self) -> list[Envelope]:
        return [self.to(who, Key(self._pair.public)) for who in (*self._session.nodes, AGGREGATOR)]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        if envelope.sender != AGGREGATOR or self.output is not None:
            raise self.unexpected(envelope)
        match envelope.body:
            case VerifyKey(sealed) if self._verify_key is None:
                with blaming(AGGREGATOR, "sent an unusable verification key"):
                    bound = purpose(self._session, AGGREGATOR, self.me)
                    self._verify_key = self._pair.open(sealed, bound)
                return [self._answer(relay) for relay in self._relayed.values()]
            case Relay(node) as relay if node not in self._relayed:
                if not 0 <= node < len(self._session.nodes):
                    raise FaultyParty(AGGREGATOR, f"relayed a report of node {node}, whom there is not")
                self._relayed[node] = relay
                # without the verification key the report waits for it
                return [] if self._verify_key is None else [self._answer(relay)]
            case Open() as opening:
                outputs = self._outputs(opening)
                rows = self._release(opening.groups, outputs)
                self.output = True
                return [self.to(AGGREGATOR, Sums(tuple(map(self._prio3.circuit.field.encode, rows))))]
            case _:
                raise self.unexpected(envelope)

    def _answer(self, relay: Relay) -> Envelope:
        assert self._verify_key is not None
        try:
            share = self._verify(self._verify_key, relay.node, relay.public, relay.share)
        except ValueError:
            # the node or the leader is to blame, and only the leader can tell
            share = b""
        return self.to(AGGREGATOR, Verifier(relay.node, share))

    def _outputs(self, opening: Open) -> list[list[Elements]]:
        """Our output shares of all members; blames the leader for an opening that must not be."""
        try:
            if list(opening.groups) != sorted(set(opening.groups)):
                raise ValueError("names groups out of order or twice")  # noqa: TRY301 - one way out
            outputs = []
            for index, members, seeds in zip(opening.groups, opening.members, opening.seeds, strict=True):
                check_members(
                    self._session,
                    index,
                    [self._session.nodes[node] for node in members],
                    self._terms.survivors,
                )
                outputs.append(
                    [
                        self._prio3.verify_next(self._states[node], seed)
                        for node, seed in zip(members, seeds, strict=True)
                    ]
                )
        except (ValueError, LookupError) as error:
            raise FaultyParty(AGGREGATOR, f"asked for an opening that must not be: {error}") from error
        return outputs
