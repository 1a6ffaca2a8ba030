"""The committee of `oneshot`: what is said to and by a holder of mask seeds, and what it does."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from protocols.entropy import Entropy
from protocols.errors import FaultyParty, blaming
from protocols.opened import check_members
from protocols.party import AGGREGATOR, Envelope, Intake, Party, PartyId
from protocols.primitives.key_agreement import KEY_BYTES, key_pair
from protocols.primitives.mask import add_mask
from protocols.primitives.replicated import Sharing
from protocols.primitives.seed_boxes import open_seeds, seed_tag
from protocols.protocol import Protocol
from protocols.releases import Releases
from protocols.ring import WORD_BYTES, Residues, to_bytes
from protocols.session import Session
from protocols.wire import Message


class Key(Message, frozen=True):
    """A holder's public key for this session, 32 bytes."""

    public: bytes


class Seeds(Message, frozen=True):
    """A node's fresh public key, and its seeds of the holder's parts, sealed for the holder."""

    public: bytes
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
    """For each requested group the sums over its members of the holder's parts, 8·d bytes each."""

    words: bytes


@dataclass(frozen=True)
class Committee(Protocol):
    """A protocol with a committee of holders.

    Parameters
    ----------
    holders
        How many there are.
    quorum
        How many of them it takes; fewer, with the aggregator, learn nothing but the opened rows. More
        than half, so that two quorums have a holder in common: up to 2·`quorum` − `holders` − 1
        colluding ones do not get a lying aggregator a second list of members.
    releases
        Where holders keep which sessions they have answered; `None`: they remember only this run.
    """

    holders: int = 5
    quorum: int = 4
    releases: Releases | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
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

    def trustee(self, me: PartyId, session: Session, entropy: Entropy) -> Party:
        """A holder; draws one key."""
        return Holder(self, me, session, entropy)


class Holder(Party):
    """One of the committee: reports whose seeds it has, then releases sums of their masks, once."""

    def __init__(self, protocol: Committee, me: PartyId, session: Session, entropy: Entropy) -> None:
        super().__init__(me)
        self._protocol = protocol
        self._session = session
        self._key = key_pair(entropy(KEY_BYTES))
        self._seeds: Intake[tuple[bytes, ...]] = Intake(session.nodes)
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
            case Request() as request if sender == AGGREGATOR and self._reported and self.output is None:
                return self._release(request)
            case _:
                raise self.unexpected(envelope)

    def _unsealed(self, node: PartyId, sealed: Seeds) -> tuple[bytes, ...]:
        with blaming(node, f"sent {self.me} unusable seeds"):
            seeds = open_seeds(self._key, sealed.public, self._session.digest, node, self.me, sealed.box)
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

    def _release(self, request: Request) -> list[Envelope]:
        if len(request.groups) != len(request.members) or len(set(request.groups)) != len(request.groups):
            raise FaultyParty(AGGREGATOR, "asked for a group twice, or for no members")
        for group, members in zip(request.groups, request.members, strict=True):
            with blaming(AGGREGATOR, "asked for what is not opened"):
                check_members(self._session, group, members, self._protocol.survivors)
            if not self._seeds.received.keys() >= set(members):
                raise FaultyParty(
                    AGGREGATOR, f"asked for nodes of group {group} that {self.me} does not have"
                )
        if self._protocol.releases is not None:
            self._protocol.releases.claim(self.me, self._session)
        self.output = True
        words = [to_bytes(row) for members in request.members for row in self._part_sums(members)]
        return [self.to(AGGREGATOR, PartSums(b"".join(words)))]

    def _part_sums(self, members: tuple[PartyId, ...]) -> Residues:
        sums = np.zeros((self._protocol.sharing.parts_each, self._session.length), np.uint64)
        for node in members:
            for row, seed in zip(sums, self._seeds.received[node], strict=True):
                add_mask(row, seed)
        return sums
