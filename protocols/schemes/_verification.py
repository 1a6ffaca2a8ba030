"""The aggregators of the protocol `verified`: they verify shares of reports and add them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from protocols.entropy import Entropy
from protocols.errors import FaultyParty, TooFewParties, blaming
from protocols.opened import Lost, check_members, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.key_agreement import KEY_BYTES, key_pair
from protocols.primitives.sealed import Direction, seal, unseal
from protocols.primitives.vdaf.field import Elements
from protocols.primitives.vdaf.prio3 import Prio3, State
from protocols.primitives.vdaf.xof import SEED_BYTES
from protocols.releases import Releases
from protocols.ring import BITS, Integers, Residues
from protocols.schemes._reports import (
    Key,
    Open,
    Relay,
    Report,
    Sums,
    Verifier,
    VerifyKey,
    channel,
    nonce_of,
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
    """

    session: Session
    prio3: Prio3
    survivors: Callable[[int], int]
    noise: NoiseFor | None
    releases: Releases | None


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


class _Verifying(Party):
    """What leader and helpers have in common: a key, and what they make of their shares."""

    def __init__(self, me: PartyId, terms: Terms, entropy: Entropy) -> None:
        super().__init__(me)
        self._terms = terms
        self._session = terms.session
        self._prio3 = terms.prio3
        self._pair = key_pair(entropy(KEY_BYTES))
        self._place = (AGGREGATOR, *self._session.trustees).index(me)
        self._states: dict[int, State] = {}

    def _verify(self, verify_key: bytes, node: int, key: bytes, public: bytes, share: bytes) -> bytes:
        """Our verifier share of a report; `ValueError` if our part of the report is unusable."""
        name = self._session.nodes[node]
        sealing = channel(self._session, self._pair, key, name, self.me)
        opened = unseal(sealing, Direction.FROM_FIRST, share, public)
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


class Helper(_Verifying):
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
            case VerifyKey(key, sealed) if self._verify_key is None:
                with blaming(AGGREGATOR, "sent an unusable verification key"):
                    sealing = channel(self._session, self._pair, key, AGGREGATOR, self.me)
                    self._verify_key = unseal(sealing, Direction.FROM_FIRST, sealed, b"")
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
            share = self._verify(self._verify_key, relay.node, relay.key, relay.public, relay.share)
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


class Leader(_Verifying):
    def __init__(self, terms: Terms, entropy: Entropy) -> None:
        super().__init__(AGGREGATOR, terms, entropy)
        self._verify_key = entropy(SEED_BYTES)
        self._index = {node: index for index, node in enumerate(self._session.nodes)}
        self._greeted: Intake[bytes] = Intake(self._session.trustees)
        self._reports: Intake[Report] = Intake(self._session.nodes)
        self._verifiers: dict[int, dict[PartyId, bytes]] = {}
        self._judged = 0
        self._seeds: dict[PartyId, bytes] = {}
        self._members: dict[int, tuple[PartyId, ...]] | None = None
        self._lost: list[Lost] = []
        self._rows: list[Elements] = []
        self._sums: Intake[Sums] = Intake(self._session.trustees)

    def start(self) -> list[Envelope]:
        return [self.to(node, Key(self._pair.public)) for node in self._session.nodes]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender, collecting = envelope.sender, self._members is None
        match envelope.body:
            case Key(public) if collecting:
                self._greeted.check(sender)
                return [self._entrust(sender, public)]
            case Report() as report if collecting:
                self._reports.check(sender)
                return self._take(sender, report)
            case Verifier(node, share) if collecting:
                self._compare(sender, node, share)
                return self._open() if self._judged == len(self._session.nodes) else []
            case Sums() as sums if not collecting and self.output is None:
                self._sums.check(sender)
                self._add(sender, sums)
                return []
            case _:
                raise self.unexpected(envelope)

    def _entrust(self, helper: PartyId, public: bytes) -> Envelope:
        with blaming(helper, "sent an unusable key"):
            sealing = channel(self._session, self._pair, public, AGGREGATOR, helper)
        self._greeted.admit(helper, public)
        return self.to(
            helper, VerifyKey(self._pair.public, seal(sealing, Direction.FROM_FIRST, self._verify_key, b""))
        )

    def _take(self, sender: PartyId, report: Report) -> list[Envelope]:
        helpers, node = self._session.trustees, self._index[sender]
        if len(report.shares) != 1 + len(helpers):
            raise FaultyParty(sender, f"sent {len(report.shares)} shares for {1 + len(helpers)} aggregators")
        with blaming(sender, "sent an unusable report"):
            mine = self._verify(self._verify_key, node, report.key, report.public, report.shares[0])
        self._reports.admit(sender, report)
        self._verifiers[node] = {AGGREGATOR: mine}
        return [
            self.to(helper, Relay(node, report.key, report.public, share))
            for helper, share in zip(helpers, report.shares[1:], strict=True)
        ]

    def _compare(self, helper: PartyId, node: int, share: bytes) -> None:
        """Take a helper's verifier share; with the last one the report is accepted or rejected."""
        aggregators = (AGGREGATOR, *self._session.trustees)
        if helper not in aggregators[1:] or node not in self._verifiers or helper in self._verifiers[node]:
            raise FaultyParty(helper, f"sent a verifier share of node {node} that nobody waits for")
        shares = self._verifiers[node]
        shares[helper] = share
        if len(shares) < len(aggregators):
            return
        self._judged += 1
        name = self._session.nodes[node]
        try:
            self._seeds[name] = self._judge(
                self._reports.received[name], [shares[who] for who in aggregators]
            )
        except ValueError as error:
            self.late_faults.append(FaultyParty(name, f"sent a report that does not verify: {error}"))

    def _judge(self, report: Report, shares: Sequence[bytes]) -> bytes:
        """The joint randomness seed of an accepted report; `ValueError` for a rejected one."""
        if not all(shares):
            raise ValueError("a helper cannot read its share")
        message = self._prio3.verifier_shares_to_message(shares)
        if self._prio3.public_of(shares) != report.public:
            raise ValueError("its public share is not that of its input shares")
        return message

    def deadline(self) -> list[Envelope]:
        """Open what is accepted by now; without a helper nothing is."""
        if self._members is not None and self._sums.missing:
            raise TooFewParties(self._sums.missing, "a helper is silent")
        try:
            return self._open()
        except TooFewParties:
            if owing := self._owing():
                raise TooFewParties(owing, "a helper is silent") from None
            raise

    def _owing(self) -> list[PartyId]:
        """The helpers who have not sent their key, or not their verifier share of every report."""
        greeted = set(self._greeted.received)
        return [
            helper
            for helper in self._session.trustees
            if helper not in greeted or any(helper not in shares for shares in self._verifiers.values())
        ]

    def _open(self) -> list[Envelope]:
        self._members, self._lost = enough_present(self._session, self._seeds, self._terms.survivors)
        groups = tuple(self._members)
        places = tuple(tuple(self._index[node] for node in members) for members in self._members.values())
        seeds = tuple(tuple(self._seeds[node] for node in members) for members in self._members.values())
        outputs = [
            [self._prio3.verify_next(self._states[node], seed) for node, seed in zip(*group, strict=True)]
            for group in zip(places, seeds, strict=True)
        ]
        self._rows = self._release(groups, outputs)
        return [self.to(helper, Open(groups, places, seeds)) for helper in self._session.trustees]

    def _add(self, helper: PartyId, sums: Sums) -> None:
        """Add a helper's shares of the rows; the last ones open them."""
        assert self._members is not None
        field, outputs = self._prio3.circuit.field, self._prio3.circuit.outputs
        with blaming(helper, "sent unreadable sums"):
            rows = [field.decode(row) for row in sums.rows]
        if [len(row) for row in rows] != [outputs] * len(self._members):
            raise FaultyParty(helper, f"sent sums of another shape than {len(self._members)} × {outputs}")
        self._sums.admit(helper, sums)
        self._rows = [field.add(mine, row) for mine, row in zip(self._rows, rows, strict=True)]
        if self._sums.complete:
            members = list(self._members.values())
            self.output = opened_rows(
                self._session, [in_ring(self._prio3, row) for row in self._rows], members, self._lost
            )
