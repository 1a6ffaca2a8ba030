"""The committee of `oneshot`: what is said to and by a holder of mask seeds, and what it does."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from protocols.credentials import Credentials
from protocols.entropy import Entropy
from protocols.errors import FaultyParty, blaming
from protocols.one_list import Confirmed, ConfirmingCommittee, OneList
from protocols.opened import check_members
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.box import SEED_BYTES, BoxKey
from protocols.primitives.mask import add_mask
from protocols.primitives.replicated import Sharing
from protocols.primitives.seed_boxes import open_seeds, seed_tag
from protocols.ring import WORD_BYTES, Residues, to_bytes
from protocols.session import Session
from protocols.wire import Message


class Key(Message, frozen=True):
    """A holder's public key for this session: 1,216 bytes if hybrid, else 32."""

    public: bytes


class Seeds(Message, frozen=True):
    """A node's seeds of the holder's parts, sealed for the holder."""

    box: bytes


class Ask(Message, frozen=True):
    """Report now whose seeds you have."""


class Report(Message, frozen=True):
    """Whose seeds a holder has, by index, and a 16-byte tag of each of them, by which copies are compared."""

    nodes: tuple[int, ...]
    tags: bytes


class Request(Message, frozen=True):
    """The groups to open, and the members of each, in order."""

    groups: tuple[int, ...]
    members: tuple[tuple[str, ...], ...]


class PartSums(Message, frozen=True):
    """For each group whose list was confirmed the sums over its members of the holder's parts, 8·d each."""

    groups: tuple[int, ...]
    words: bytes


@dataclass(frozen=True)
class Committee(ConfirmingCommittee):
    """A protocol with a committee of holders of the nodes' masks.

    Parameters
    ----------
    quorum
        How many of them it takes; fewer, with the server, learn nothing but the opened rows.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.sharing  # refuses a committee that cannot be

    @cached_property
    def sharing(self) -> Sharing:
        """Which holder knows which parts of the masks."""
        return Sharing(self.trustee_ids(()), self.quorum)

    def frame_limit(self, session: Session) -> int:
        """See `Protocol.frame_limit`; a holder sends every part of every group's mask at once."""
        sums = WORD_BYTES * session.length * len(session.groups) * self.sharing.parts_each
        return super().frame_limit(session) + sums

    def trustee_ids(self, nodes: Sequence[PartyId]) -> tuple[PartyId, ...]:
        """`holder-1` and so on."""
        return tuple(f"holder-{i}" for i in range(1, self.holders + 1))

    def spares(self, trustees: Collection[PartyId]) -> bool:
        """See `Protocol.spares`; a quorum has to be left."""
        return len(trustees) <= self.holders - self.quorum

    def trustee(
        self, me: PartyId, session: Session, entropy: Entropy, credentials: Credentials | None = None
    ) -> Party:
        """A holder; draws one key. See `ConfirmingCommittee.trustee`."""
        return Holder(self, me, session, entropy, self.one_list(me, session, credentials))


class Holder(Party):
    """One of the committee: reports whose seeds it has, then releases sums of their masks, once.

    It does so for the groups for which a quorum of holders has confirmed the list that it was told.
    """

    def __init__(
        self, protocol: Committee, me: PartyId, session: Session, entropy: Entropy, one_list: OneList
    ) -> None:
        super().__init__(me)
        self._protocol = protocol
        self._session = session
        self._key = BoxKey(protocol.key_exchange, entropy(SEED_BYTES))
        self._seeds: Intake[tuple[bytes, ...]] = Intake(session.nodes)
        self._one_list = one_list
        self._members: dict[int, tuple[PartyId, ...]] = {}
        self._asked = False
        self._reported = False

    def start(self) -> list[Envelope]:
        return [self.to(node, Key(self._key.public)) for node in self._session.nodes]

    def handle(self, envelope: Envelope) -> list[Envelope]:
        sender = envelope.sender
        match envelope.body:
            case Seeds() as seeds if not self._reported:
                self._seeds.check(sender)
                self._seeds.admit(sender, self._unsealed(sender, seeds))
                return self._report() if self._seeds.complete else []
            case Ask() if sender == AGGREGATOR and not self._asked:
                self._asked = True
                return [] if self._reported else self._report()
            case Request() as request if sender == AGGREGATOR and self._reported and not self._members:
                return self._confirm(request)
            case Confirmed() as confirmed:
                self._one_list.hear(sender, confirmed)
                return self._release() if self._one_list.complete and self.output is None else []
            case _:
                raise self.unexpected(envelope)

    def _unsealed(self, node: PartyId, sealed: Seeds) -> tuple[bytes, ...]:
        with blaming(node, f"sent {self.me} unusable seeds"):
            seeds = open_seeds(self._key, self._session.digest, node, self.me, sealed.box)
        expected = self._protocol.sharing.parts_each
        if len(seeds) != expected:
            raise FaultyParty(node, f"sent {self.me} {len(seeds)} seeds, expected {expected}")
        return seeds

    def _report(self) -> list[Envelope]:
        self._reported = True
        nodes = self._session.nodes
        have = tuple(index for index, node in enumerate(nodes) if node in self._seeds.received)
        tags = [
            seed_tag(self._session.digest, nodes[index], seed)
            for index in have
            for seed in self._seeds.received[nodes[index]]
        ]
        return [self.to(AGGREGATOR, Report(have, b"".join(tags)))]

    def deadline(self) -> list[Envelope]:
        """Release what was confirmed; for the rest it will not be."""
        return self._release() if self._members and self.output is None else []

    def _confirm(self, request: Request) -> list[Envelope]:
        groups = request.groups
        if not groups or len(groups) != len(request.members) or len(set(groups)) != len(groups):
            raise FaultyParty(AGGREGATOR, "asked for a group twice, or for no members")
        asked = dict(zip(groups, request.members, strict=True))
        for group, members in asked.items():
            with blaming(AGGREGATOR, "asked for what is not opened"):
                check_members(self._session, group, members, self._protocol.survivors)
            if not self._seeds.received.keys() >= set(members):
                raise FaultyParty(
                    AGGREGATOR, f"asked for nodes of group {group} that {self.me} does not have"
                )
        lists = {group: self._one_list.list_of(group, members) for group, members in asked.items()}
        said = self._one_list.confirm(lists)
        self._members = asked
        return said + (self._release() if self._one_list.complete else [])

    def _release(self) -> list[Envelope]:
        groups = self._one_list.confirmed
        if not groups:
            raise self._one_list.too_few()
        self.output = True
        words = [to_bytes(row) for group in groups for row in self._part_sums(self._members[group])]
        return [self.to(AGGREGATOR, PartSums(groups, b"".join(words)))]

    def _part_sums(self, members: tuple[PartyId, ...]) -> Residues:
        sums = np.zeros((self._protocol.sharing.parts_each, self._session.length), np.uint64)
        for node in members:
            for row, seed in zip(sums, self._seeds.received[node], strict=True):
                add_mask(row, seed)
        return sums
