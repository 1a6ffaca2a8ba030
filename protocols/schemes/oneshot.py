"""A node speaks once: its masked vector goes to the aggregator, the seeds of its mask to a committee.

The mask is a sum of parts, each expanded from a seed that all holders but `quorum` − 1 know. The holders
tell the aggregator, once, the sum over the members of each part; a quorum covers all parts, so the
aggregator removes the sum of the masks from the sum of the masked vectors. Nodes that fall silent are
simply not members.

Sources: the shape of Karthikeyan and Polychroniadou 2025, "OPA: One-shot private aggregation" and of
Bell-Clark et al. 2025, "Willow". Deviation: where they share one seed of a seed-homomorphic generator,
which adds only approximately (learning with rounding), a mask here is a sum of pseudorandom parts under
replicated sharing (Cramer, Damgård and Ishai 2005): exact and symmetric, for small committees.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from protocols.entropy import Entropy
from protocols.errors import Abort, FaultyParty, TooFewParties
from protocols.opened import Lost, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.key_agreement import KEY_BYTES, check_public, key_pair
from protocols.primitives.mask import add_mask
from protocols.primitives.replicated import majority
from protocols.primitives.seed_boxes import SEED_BYTES, TAG_BYTES, seal_seeds
from protocols.protocol import Claims
from protocols.ring import WORD_BYTES, Integers, Residues, from_bytes, received, to_bytes, to_ring, total
from protocols.schemes._committee import Ask, Committee, Key, PartSums, Report, Request, Seeds
from protocols.session import Session
from protocols.wire import Message


class Call(Message, frozen=True):
    """Some holders are silent: speak now, to those named."""

    holders: tuple[str, ...]


class Masked(Message, frozen=True):
    """A node's vector plus its mask, 8·d bytes."""

    words: bytes


class _Node(Party):
    def __init__(
        self, protocol: "OneShot", me: PartyId, vector: Integers, session: Session, entropy: Entropy
    ) -> None:
        super().__init__(me)
        self._sharing = protocol.sharing
        self._vector = vector
        self._session = session
        self._entropy = entropy
        self._keys: Intake[bytes] = Intake(session.trustees)
        self._called: tuple[PartyId, ...] | None = None

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Key(public):
                self._keys.check(envelope.sender)
                if self.output is not None:
                    raise self.unexpected(envelope)
                try:
                    check_public(public)
                except ValueError as error:
                    raise FaultyParty(envelope.sender, f"sent an unusable key: {error}") from error
                self._keys.admit(envelope.sender, public)
            case Call(holders) if envelope.sender == AGGREGATOR and self._called is None:
                known = set(holders)
                if holders != tuple(h for h in self._session.trustees if h in known):
                    raise FaultyParty(AGGREGATOR, "called holders who are not in the session")
                if len(holders) < self._sharing.quorum:
                    raise FaultyParty(AGGREGATOR, f"called {len(holders)} holders, fewer than a quorum")
                self._called = holders
            case _:
                raise self.unexpected(envelope)
        holders = self._called or self._session.trustees
        if self.output is None and all(holder in self._keys.received for holder in holders):
            return self._speak(holders)
        return []

    def _speak(self, holders: tuple[PartyId, ...]) -> list[Envelope]:
        seeds = [self._entropy(SEED_BYTES) for _ in self._sharing.excluded]
        words = to_ring(self._vector).copy()
        for seed in seeds:
            add_mask(words, seed)
        mine = key_pair(self._entropy(KEY_BYTES))
        spoken = [self.to(AGGREGATOR, Masked(to_bytes(words)))]
        for holder in holders:
            known = [seeds[part] for part in self._sharing.parts[holder]]
            public, session = self._keys.received[holder], self._session.digest
            box = seal_seeds(mine, public, session, self.me, holder, known)
            spoken.append(self.to(holder, Seeds(mine.public, box)))
        self.output = True
        return spoken


class _Aggregator(Party):
    def __init__(self, protocol: "OneShot", session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._keys: Intake[Key] = Intake(session.trustees)
        self._masked: Intake[Residues] = Intake(session.nodes)
        self._reports: Intake[Mapping[PartyId, tuple[bytes, ...]]] = Intake(session.trustees)
        self._sums: Intake[tuple[bytes, ...]] = Intake(())
        self._called = self._asked = False
        self._members: dict[int, tuple[PartyId, ...]] = {}
        self._lost: list[Lost] = []

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Key() as key if not self._members:
                self._keys.admit(sender, key)
            case Masked(words) if not self._members:
                self._masked.admit(sender, received(sender, words, self._session.length))
            case Report() as report if not self._members:
                self._reports.check(sender)
                self._reports.admit(sender, self._tags(sender, report))
            case PartSums(words) if self._members and self.output is None:
                self._sums.check(sender)
                self._sums.admit(sender, self._part_sums(sender, words))
                return self._open() if self._sums.complete else []
            case _:
                raise self.unexpected(envelope)
        everybody = self._masked.complete or self._asked
        return self._request() if everybody and self._reports.complete else []

    def deadline(self) -> list[Envelope]:
        """Call the nodes to speak to fewer holders, then ask for reports, then do without the silent."""
        if self._members:
            return self._open()
        if self._keys.missing and self._masked.missing and not self._called:
            self._called = True
            self._need_quorum(self._keys.missing)
            holders = tuple(holder for holder in self._session.trustees if holder in self._keys.received)
            return [self.to(node, Call(holders)) for node in self._masked.missing]
        if self._reports.missing and not self._asked:
            self._asked = True
            return [self.to(holder, Ask()) for holder in self._reports.missing]
        return self._request()

    def _need_quorum(self, missing: list[PartyId]) -> None:
        quorum = self._protocol.quorum
        if len(self._session.trustees) - len(missing) < quorum:
            raise TooFewParties(missing, f"fewer than {quorum} holders answered")

    def _tags(self, holder: PartyId, report: Report) -> Mapping[PartyId, tuple[bytes, ...]]:
        nodes, parts = self._session.nodes, self._protocol.sharing.parts_each
        if list(report.nodes) != sorted(set(report.nodes) & set(range(len(nodes)))):
            raise FaultyParty(holder, "reported nodes that are not in the session")
        if len(report.tags) != TAG_BYTES * parts * len(report.nodes):
            raise FaultyParty(holder, f"reported {len(report.tags)} bytes of tags")
        tags = [report.tags[at : at + TAG_BYTES] for at in range(0, len(report.tags), TAG_BYTES)]
        return {nodes[index]: tuple(tags[at * parts :][:parts]) for at, index in enumerate(report.nodes)}

    def _consistent(self, node: PartyId) -> bool:
        """Whether every holder who reported has the seeds of `node`, and those of one part are the same."""
        reports = self._reports.received
        if not all(node in tags for tags in reports.values()):
            return False
        copies = self._protocol.sharing.copies({holder: tags[node] for holder, tags in reports.items()})
        consistent = all(len(set(tags.values())) == 1 for tags in copies)
        if not consistent:
            self.late_faults.append(FaultyParty(node, "gave holders different seeds, or one of them says so"))
        return consistent

    def _request(self) -> list[Envelope]:
        self._need_quorum(self._reports.missing)
        present = {node for node in self._masked.received if self._consistent(node)}
        self._members, self._lost = enough_present(self._session, present, self._protocol.survivors)
        self._sums = Intake(self._reports.received)
        request = Request(tuple(self._members), tuple(self._members.values()))
        return [self.to(holder, request) for holder in self._reports.received]

    def _part_sums(self, holder: PartyId, words: bytes) -> tuple[bytes, ...]:
        """The holder's sums, group by group and part by part."""
        size = WORD_BYTES * self._session.length
        expected = size * self._protocol.sharing.parts_each * len(self._members)
        if len(words) != expected:
            raise FaultyParty(holder, f"sent {len(words)} bytes of sums, expected {expected}")
        return tuple(words[at : at + size] for at in range(0, len(words), size))

    def _open(self) -> list[Envelope]:
        missing = [holder for holder in self._session.trustees if holder not in self._sums.received]
        self._need_quorum(missing)
        rows = []
        sharing = self._protocol.sharing
        for position, members in enumerate(self._members.values()):
            row = total(self._masked.received[node] for node in members)
            ours = slice(position * sharing.parts_each, (position + 1) * sharing.parts_each)
            for copies in sharing.copies({h: sums[ours] for h, sums in self._sums.received.items()}):
                row -= from_bytes(self._agreed(copies))
            rows.append(row)
        self.output = opened_rows(self._session, rows, list(self._members.values()), self._lost)
        return []

    def _agreed(self, copies: Mapping[PartyId, bytes]) -> bytes:
        """The sum that most of the holders who know a part give for it."""
        agreed, others = majority(copies)
        if agreed is None:
            raise Abort(f"the holders contradict one another: {', '.join(copies)}")
        self.late_faults += [FaultyParty(holder, "gave another sum than most holders") for holder in others]
        return agreed


@dataclass(frozen=True)
class OneShot(Committee):
    """Masked vectors to the aggregator, seeds of the masks to a committee that answers once, with sums."""

    claims = Claims(
        sees="sums",
        trust="fewer than a quorum of the holders collude",
        dropouts="nodes: free, down to the threshold; holders: down to the quorum",
        lying_aggregator="nothing beyond one sum for each group, of at least the threshold: a holder "
        "answers once, and two quorums share an honest one",
        source="after Willow and OPA (CRYPTO 2025), with replicated pseudorandom masks",
    )
    messages = (Key, Call, Masked, Seeds, Ask, Report, Request, PartSums)
    smallest_group = 3

    @classmethod
    def for_tests(cls) -> Self:
        """The smallest committee that can lose a holder."""
        return cls(holders=3, quorum=2)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; draws a seed for each part and one key."""
        return _Node(self, me, vector, session, entropy)

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(self, session)
