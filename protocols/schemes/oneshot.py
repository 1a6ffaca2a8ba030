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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

from protocols.entropy import Entropy, hedged
from protocols.errors import Abort, FaultyParty, TooFewParties, blaming
from protocols.one_list import Confirmed
from protocols.opened import Lost, enough_present, opened_rows
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.box import check_box_key, seal
from protocols.primitives.mask import add_mask
from protocols.primitives.replicated import majority
from protocols.primitives.seed_boxes import SEED_BYTES, TAG_BYTES, seeds_for
from protocols.protocol import Claims
from protocols.ring import WORD_BYTES, Integers, Residues, from_bytes, received, to_bytes, to_ring, total
from protocols.schemes._committee import Ask, Committee, Key, PartSums, Report, Request, Seeds
from protocols.session import Session
from protocols.wire import Message


class Masked(Message, frozen=True):
    """A node's vector plus its mask, 8·d bytes."""

    words: bytes


def same(copies: Sequence[Mapping[str, bytes]]) -> bool:
    """Whether there are copies, and those of each part are the same."""
    return bool(copies) and all(len(set(found.values())) == 1 for found in copies)


class _Node(Party):
    def __init__(
        self, protocol: "OneShot", me: PartyId, vector: Integers, session: Session, entropy: Entropy
    ) -> None:
        super().__init__(me)
        self._protocol = protocol
        self._sharing = protocol.sharing
        self._vector = vector
        self._session = session
        self._entropy = entropy
        self._keys: Intake[bytes] = Intake(session.trustees)

    def handle(self, envelope: Envelope) -> list[Envelope]:
        match envelope.body:
            case Key(public) if self.output is None:
                self._keys.check(envelope.sender)
                with blaming(envelope.sender, "sent an unusable key"):
                    check_box_key(self._protocol.key_exchange, public)
                self._keys.admit(envelope.sender, public)
            case _:
                raise self.unexpected(envelope)
        return self._speak() if self._keys.complete else []

    def deadline(self) -> list[Envelope]:
        """Speak to the holders that are there, if they are a quorum."""
        if len(self._keys.received) < self._sharing.quorum:
            raise TooFewParties(self._keys.missing, f"fewer than {self._sharing.quorum} holders sent a key")
        return self._speak()

    def _speak(self) -> list[Envelope]:
        seeds = [self._entropy(SEED_BYTES) for _ in self._sharing.excluded]
        words = to_ring(self._vector).copy()
        for seed in seeds:
            add_mask(words, seed)
        session, holders = self._session.digest, self._keys.received
        letters = [
            seeds_for(public, session, self.me, holder, [seeds[part] for part in self._sharing.parts[holder]])
            for holder, public in holders.items()
        ]
        boxes = seal(self._protocol.key_exchange, letters, self._entropy, self.tape)
        spoken = [self.to(AGGREGATOR, Masked(to_bytes(words)))]
        spoken += [self.to(holder, Seeds(box)) for holder, box in zip(holders, boxes, strict=True)]
        self.output = True
        return spoken


class _Aggregator(Party):
    def __init__(self, protocol: "OneShot", session: Session) -> None:
        super().__init__(AGGREGATOR)
        self._protocol = protocol
        self._session = session
        self._masked: Intake[Residues] = Intake(session.nodes)
        self._reports: Intake[Mapping[PartyId, tuple[bytes, ...]]] = Intake(session.trustees)
        self._confirmed: set[PartyId] = set()
        self._sums: Intake[Mapping[int, tuple[bytes, ...]]] = Intake(())
        self._waited = self._asked = self._due = False
        self._members: dict[int, tuple[PartyId, ...]] = {}
        self._holders: dict[int, tuple[PartyId, ...]] = {}
        self._requests: dict[PartyId, list[int]] = {}
        self._lost: list[Lost] = []

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Masked(words) if not self._members:
                self._masked.admit(sender, received(sender, words, self._session.length))
            case Report() as report if not self._members:
                self._reports.check(sender)
                self._reports.admit(sender, self._tags(sender, report))
            case Confirmed() if sender in self._requests and sender not in self._confirmed:
                self._confirmed.add(sender)
                return []
            case PartSums() as sums if self._members and self.output is None:
                self._sums.check(sender)
                self._sums.admit(sender, self._part_sums(sender, sums))
                return self._open() if self._sums.complete else []
            case _:
                raise self.unexpected(envelope)
        heard_all = self._masked.complete or self._asked
        return self._request() if heard_all and self._reports.complete else []

    def deadline(self) -> list[Envelope]:
        """Ask for reports, then do without the silent; one passes, for nodes may have waited for holders.

        Another passes where holders wait for one another's confirmation until the same deadline.
        """
        if self._members:
            answers = [len(self._answered(index)) for index in self._members]
            if self._due or min(answers) >= self._protocol.quorum:
                return self._open()
            self._due = True
            return []
        if self._masked.missing and not self._waited:
            self._waited = True
            return []
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
        return {
            nodes[index]: tuple(tags[at * parts : (at + 1) * parts]) for at, index in enumerate(report.nodes)
        }

    def _copies(self, node: PartyId, holders: Sequence[PartyId]) -> list[dict[str, bytes]]:
        """The tags that the holders give for each part of a node's mask; none if one has not its seeds."""
        reports = self._reports.received
        if not all(node in reports[holder] for holder in holders):
            return []
        return self._protocol.sharing.copies({holder: reports[holder][node] for holder in holders})

    def _present(self, group: Sequence[PartyId], holders: Sequence[PartyId]) -> set[PartyId]:
        """The nodes of a group whose seeds all these holders have, and have the same."""
        masked = self._masked.received
        return {node for node in group if node in masked and same(self._copies(node, holders))}

    def _committees(self) -> dict[int, tuple[PartyId, ...]]:
        """For each group the most holders who open it: better lose a holder than many nodes.

        Groups differ: the silence of a holder who is needed for one must not cost the others.
        """
        self._need_quorum(self._reports.missing)
        reported, groups = self._reports.received, self._session.groups
        sizes = range(len(reported), self._protocol.quorum - 1, -1)
        committees = [some for size in sizes for some in combinations(reported, size)]
        chosen: dict[int, tuple[PartyId, ...]] = {}
        for index, group in enumerate(groups):
            fewest = self._protocol.survivors(len(group))
            opening = (some for some in committees if len(self._present(group, some)) >= fewest)
            if (holders := next(opening, None)) is not None:
                chosen[index] = holders
        return chosen

    def _request(self) -> list[Envelope]:
        self._holders = self._committees()
        present: set[PartyId] = set()
        for index, group in enumerate(self._session.groups):
            holders = self._holders.get(index, tuple(self._reports.received))
            found = self._present(group, holders)
            self._blame(group, holders, found)
            present |= found
        self._members, self._lost = enough_present(self._session, present, self._protocol.survivors)
        for index in self._members:
            for holder in self._holders[index]:
                self._requests.setdefault(holder, []).append(index)
        self._sums = Intake(self._requests)
        return [
            self.to(holder, Request(tuple(groups), tuple(self._members[index] for index in groups)))
            for holder, groups in self._requests.items()
        ]

    def _blame(self, group: tuple[PartyId, ...], holders: tuple[PartyId, ...], present: set[PartyId]) -> None:
        """Say who told other seeds than the rest; to have none is no fault, for they may be lost."""
        for holder in (each for each in self._reports.received if each not in holders):
            copies = [self._copies(node, (*holders, holder)) for node in present]
            if any(found and not same(found) for found in copies):
                self.late_faults.append(
                    FaultyParty(holder, "reported other seeds than the other holders have")
                )
        for node in (each for each in group if each in self._masked.received and each not in present):
            told = self._copies(node, holders)
            if disputing := {holder: None for copy in told if not same([copy]) for holder in copy}:
                reason = "gave holders different seeds, or one of them says so"
                self.late_faults.append(FaultyParty(node, reason, tuple(disputing)))

    def _part_sums(self, holder: PartyId, answer: PartSums) -> Mapping[int, tuple[bytes, ...]]:
        """The holder's sums, group by group and part by part."""
        size = WORD_BYTES * self._session.length
        groups, words, parts = answer.groups, answer.words, self._protocol.sharing.parts_each
        if len(set(groups)) != len(groups) or not set(groups) <= set(self._requests[holder]):
            raise FaultyParty(holder, "sent sums of groups that it was not asked for")
        expected = size * parts * len(groups)
        if len(words) != expected:
            raise FaultyParty(holder, f"sent {len(words)} bytes of sums, expected {expected}")
        sums = [words[at : at + size] for at in range(0, len(words), size)]
        return {index: tuple(sums[at * parts : (at + 1) * parts]) for at, index in enumerate(groups)}

    def _answered(self, group: int) -> dict[PartyId, tuple[bytes, ...]]:
        """The sums of those holders who answered for this group."""
        return {holder: sums[group] for holder, sums in self._sums.received.items() if group in sums}

    def _open(self) -> list[Envelope]:
        rows, opened, lost = [], [], list(self._lost)
        quorum = self._protocol.quorum
        for index, members in self._members.items():
            answered = self._answered(index)
            if len(answered) < quorum:
                # who confirmed may have waited in vain for those who did not
                spoke = self._confirmed if len(self._confirmed) < quorum else answered.keys()
                missing = tuple(holder for holder in self._session.trustees if holder not in spoke)
                lost.append(Lost(index, missing, f"fewer than {quorum} holders answered"))
                continue
            row = total(self._masked.received[node] for node in members)
            for copies in self._protocol.sharing.copies(answered):
                row -= from_bytes(self._agreed(copies))
            rows.append(row)
            opened.append(members)
        self.output = opened_rows(self._session, rows, opened, lost)
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
        trust="all but corrupt_holders of the holders, not to work with the aggregator",
        dropouts="nodes: free, down to the threshold; holders: down to the quorum",
        malicious_aggregator="one sum for each group, of at least the threshold, with up to corrupt_holders "
        "holders: they confirm one list to one another; it can prevent a result",
        source="after Willow and OPA (CRYPTO 2025), with replicated pseudorandom masks",
    )
    messages = (Key, Masked, Seeds, Ask, Report, Request, Confirmed, PartSums)
    smallest_group = 3

    @classmethod
    def for_tests(cls) -> Self:
        """The smallest committee that can lose a holder."""
        return cls(holders=3, quorum=2, corrupt_holders=0)

    def node(self, me: PartyId, vector: Integers, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.node`; draws a seed for each part, and what seals each box."""
        return _Node(self, me, vector, session, hedged(entropy, session.digest, me))

    def aggregator(self, session: Session, entropy: Entropy) -> Party:
        """See `Protocol.aggregator`; uses no entropy."""
        return _Aggregator(self, session)
