"""The aggregator of the protocol `verified` to whom nodes report: it asks the helpers, judges and opens."""

from collections.abc import Sequence

from protocols.entropy import Entropy
from protocols.errors import FaultyParty, TooFewParties, blaming
from protocols.opened import Lost, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, PartyId
from protocols.primitives.box import Letter, seal
from protocols.primitives.vdaf.field import Elements
from protocols.primitives.vdaf.xof import SEED_BYTES
from protocols.schemes._prio3.helper import Terms, Verifying, in_ring
from protocols.schemes._prio3.messages import Key, Open, Relay, Report, Sums, Verifier, VerifyKey, purpose


class Leader(Verifying):
    def __init__(self, terms: Terms, entropy: Entropy) -> None:
        super().__init__(AGGREGATOR, terms, entropy)
        self._entropy = entropy
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
            bound = purpose(self._session, AGGREGATOR, helper)
            letter = Letter(public, self._verify_key, bound)
            (sealed,) = seal(self._terms.key_exchange, [letter], self._entropy, self.tape)
        self._greeted.admit(helper, public)
        return self.to(helper, VerifyKey(sealed))

    def _take(self, sender: PartyId, report: Report) -> list[Envelope]:
        helpers, node = self._session.trustees, self._index[sender]
        if len(report.shares) != 1 + len(helpers):
            raise FaultyParty(sender, f"sent {len(report.shares)} shares for {1 + len(helpers)} aggregators")
        with blaming(sender, "sent an unusable report"):
            mine = self._verify(self._verify_key, node, report.public, report.shares[0])
        self._reports.admit(sender, report)
        self._verifiers[node] = {AGGREGATOR: mine}
        return [
            self.to(helper, Relay(node, report.public, share))
            for helper, share in zip(helpers, report.shares[1:], strict=True)
        ]

    def _compare(self, helper: PartyId, node: int, share: bytes) -> None:
        """Take a helper's verifier share; with the last one the report is accepted or rejected."""
        aggregators = (AGGREGATOR, *self._session.trustees)
        if helper not in aggregators[1:] or node not in self._verifiers or helper in self._verifiers[node]:
            raise FaultyParty(helper, f"sent a verifier share of node {node} that is not waited for")
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
