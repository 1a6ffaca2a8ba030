"""The aggregator's side of one group: its stages, each closed by the last answer or by a deadline."""

from collections.abc import Container, Iterable, Iterator

import numpy as np

from protocols.errors import FaultyParty, blaming
from protocols.opened import Lost
from protocols.party import Intake, PartyId
from protocols.primitives.key_agreement import check_public, key_pair
from protocols.primitives.shamir import SHARE_BYTES, element
from protocols.ring import WORD_BYTES, Residues, from_bytes
from protocols.schemes._double_masking.complaints import leave_out
from protocols.schemes._double_masking.messages import (
    COMMITMENT_BYTES,
    PROOF_BYTES,
    SEALED_BYTES,
    Complaint,
    Confirmation,
    Confirmations,
    DeliveredShares,
    Keys,
    MaskedVector,
    NeighbourKeys,
    Participants,
    SealedShares,
    Survivors,
    Unmasking,
    advertised,
    items,
    pack_set,
    unpack_set,
)
from protocols.schemes._double_masking.recovery import rebuild, remove_pairwise_masks, remove_self_mask
from protocols.schemes._double_masking.terms import Statement, Terms
from protocols.wire import Message

Replies = list[tuple[PartyId, Message]]


class GroupRound:
    """One group on the way to its sum. Nodes are counted by their position in the group.

    Attributes
    ----------
    row
        The sum of the survivors' vectors; masked until `members` is there.
    members
        The survivors, once their sum is open.
    lost
        Why the group was given up, if it was.
    late_faults
        Faults that showed only when shares were put together.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.row: Residues = np.zeros(terms.session.length, np.uint64)
        self.members: tuple[PartyId, ...] | None = None
        self.lost: Lost | None = None
        self.late_faults: list[FaultyParty] = []
        self._expected: type[Message] = Keys
        self._intake: Intake[Message] = Intake(terms.group)

        self._keys: dict[int, Keys] = {}
        self._statements: dict[int, Statement] = {}
        self._mail: dict[int, dict[int, bytes]] = {}  # sender to recipient to what only they can read
        self._sharers: set[int] = set()
        self._complaints: dict[int, list[int]] = {}  # who cannot read whose shares
        self._participants: set[int] = set()
        self._survivors: set[int] = set()
        self._shares: dict[int, dict[int, bytes]] = {}  # owner to place to share

    @property
    def finished(self) -> bool:
        """Whether the sum is open or given up."""
        return self.members is not None or self.lost is not None

    def handle(self, sender: PartyId, body: Message) -> Replies:
        """Take one node's answer; what to say if it was the last of its stage."""
        if self.finished or type(body) is not self._expected:
            raise FaultyParty(sender, f"sent {type(body).__name__}, which is not expected now")
        self._intake.check(sender)
        with blaming(sender, f"sent unusable {type(body).__name__}"):
            self._take(sender, body)
        # a vector is in the row now, of the message only the sender is kept
        self._intake.admit(sender, MaskedVector(b"") if isinstance(body, MaskedVector) else body)
        return self.close() if self._intake.complete else []

    def _take(self, sender: PartyId, body: Message) -> None:
        """Check an answer and keep what it brings; `ValueError` if it is unusable."""
        position = self.terms.position[sender]
        match body:
            case Keys():
                self._take_keys(sender, position, body)
            case SealedShares(sealed):
                self._take_mail(position, sealed, self._keys, SEALED_BYTES)
            case Complaint(unreadable):
                self._take_complaint(position, unreadable)
            case Confirmation(proofs):
                self._take_mail(position, proofs, self._survivors, PROOF_BYTES)
            case MaskedVector(words):
                expected = WORD_BYTES * len(self.row)
                if len(words) != expected:
                    raise ValueError(f"{len(words)} bytes, expected {expected}")
                self.row += from_bytes(words)
            case Unmasking():
                self._take_shares(position, body)

    def close(self) -> Replies:
        """Go on without those who are silent, or give the group up."""
        answered = {self.terms.position[node] for node in self._intake.received}
        summed = self._survivors or answered
        if len(summed) < self.terms.minimum:
            return self._give_up(
                f"{len(summed)} of {len(self.terms.group)} answered, {self.terms.minimum} needed"
            )
        stages = {
            Keys: self._introduce,
            SealedShares: self._deliver,
            Complaint: self._settle,
            MaskedVector: self._announce,
            Confirmation: self._pass_on,
            Unmasking: self._open,
        }
        return stages[self._expected](answered)

    def _invite(self, nodes: Iterable[int], expected: type[Message]) -> None:
        self._expected = expected
        self._intake = Intake(self.terms.group[node] for node in sorted(nodes))

    def _give_up(self, reason: str, left_out: Container[int] = ()) -> Replies:
        missing = tuple(
            node
            for position, node in enumerate(self.terms.group)
            if node not in self._intake.received or position in left_out
        )
        self.lost = Lost(self.terms.index, missing, reason)
        return []

    def _around(self, node: int) -> tuple[int, ...]:
        return self.terms.neighbourhoods.around(node)

    # the stages, in order

    def _take_keys(self, sender: PartyId, position: int, keys: Keys) -> None:
        check_public(keys.channel)
        check_public(keys.mask)
        if len(keys.commitment) != COMMITMENT_BYTES:
            raise ValueError(f"a commitment has {COMMITMENT_BYTES} bytes, got {len(keys.commitment)}")
        statement = self.terms.advertised(sender, keys)
        if not self.terms.signed(sender, statement, keys.signature):
            raise ValueError("the signature does not fit (rule 4)")
        self._keys[position] = keys
        self._statements[position] = statement

    def _introduce(self, present: set[int]) -> Replies:
        self._invite(present, SealedShares)
        entries = {node: advertised(keys) for node, keys in self._keys.items()}
        replies: Replies = []
        for node in sorted(present):
            around = self._around(node)
            places = [place for place, holder in enumerate(around) if holder in present]
            keys = b"".join(entries[around[place]] for place in places)
            replies.append((self.terms.group[node], NeighbourKeys(pack_set(places, len(around)), keys)))
        return replies

    def _deliver(self, sharers: set[int]) -> Replies:
        self._invite(sharers, Complaint)
        self._sharers = sharers
        return [(name, DeliveredShares(*mail)) for name, mail in self._sorted_mail(sharers)]

    def _take_complaint(self, position: int, unreadable: bytes) -> None:
        around = self._around(position)
        about = [around[place] for place in unpack_set(unreadable, len(around))]
        if position in about or not self._sharers.issuperset(about):
            raise ValueError("a complaint about shares that were not delivered")
        if about:
            self._complaints[position] = about

    def _settle(self, heard: set[int]) -> Replies:
        """Leave out so many that all who go on can read one another's shares."""
        group, liars = self.terms.group, self.terms.liars
        quarrels = {
            node: [other for other in about if other in heard] for node, about in self._complaints.items()
        }
        left_out = leave_out(quarrels, liars)
        for node in left_out.alone:
            reason = f"shares from it or for it that more than {liars} others cannot read, or say so"
            self.late_faults.append(FaultyParty(group[node], reason))
        for one, other in left_out.pairs:
            reason = "shares between the two that cannot be read, or one says so"
            self.late_faults.append(FaultyParty(group[one], reason, (group[other],)))
        participants = heard - left_out.nodes
        if len(participants) < self.terms.minimum:
            able = f"{len(participants)} of {len(group)} can read one another's shares"
            return self._give_up(f"{able}, {self.terms.minimum} needed", left_out.nodes)
        self._participants = participants
        self._invite(participants, MaskedVector)
        body = Participants(pack_set(participants, len(group)))
        return [(group[node], body) for node in sorted(participants)]

    def _announce(self, survivors: set[int]) -> Replies:
        self._survivors = survivors
        if short := self._unrecoverable(survivors):
            return self._give_up(short)
        self._invite(survivors, Confirmation if self.terms.malicious else Unmasking)
        body = Survivors(pack_set(survivors, len(self.terms.group)))
        return [(self.terms.group[node], body) for node in sorted(survivors)]

    def _pass_on(self, confirmed: set[int]) -> Replies:
        if short := self._unrecoverable(confirmed):
            return self._give_up(short)
        self._invite(confirmed, Unmasking)
        return [(name, Confirmations(*mail)) for name, mail in self._sorted_mail(confirmed)]

    def _take_shares(self, position: int, body: Unmasking) -> None:
        around = self._around(position)
        places = unpack_set(body.present, len(around))
        owners = [around[place] for place in places]
        if not self._participants.issuperset(owners):
            raise ValueError("a share of a node that did not go on")
        shares = list(items(body.shares, len(places), SHARE_BYTES))
        for share in shares:
            element(share)
        mirrored = self.terms.neighbourhoods.mirrored
        for place, owner, share in zip(places, owners, shares, strict=True):
            self._shares.setdefault(owner, {})[mirrored(place, position)] = share

    def _open(self, _answered: set[int]) -> Replies:
        for owner in sorted(self._owners()):
            try:
                secret = self._rebuilt(owner)
            except ValueError as error:
                return self._give_up(f"{self.terms.group[owner]} cannot be unmasked: {error}")
            if owner in self._survivors:
                remove_self_mask(self.row, self.terms, secret)
            else:
                neighbours = [
                    (node, self._keys[node].mask) for node in self._around(owner) if node in self._survivors
                ]
                remove_pairwise_masks(self.row, owner, secret, self._statements, neighbours)
        self.members = tuple(self.terms.group[node] for node in sorted(self._survivors))
        return []

    # mail between nodes

    def _take_mail(self, sender: int, packed: bytes, invited: Container[int], size: int) -> None:
        """Keep one item for each other invited holder."""
        others = [node for node in self._around(sender) if node in invited and node != sender]
        self._mail[sender] = dict(zip(others, items(packed, len(others), size), strict=True))

    def _sorted_mail(self, present: set[int]) -> Iterator[tuple[PartyId, tuple[bytes, bytes]]]:
        """For each node present: which of its holders are, and what the others of them sent it."""
        mail, self._mail = self._mail, {}
        for node in sorted(present):
            around = self._around(node)
            places = [place for place, holder in enumerate(around) if holder in present]
            senders = [around[place] for place in places if around[place] != node]
            items_for_node = b"".join([mail[sender][node] for sender in senders])
            yield self.terms.group[node], (pack_set(places, len(around)), items_for_node)

    # recovery

    def _owners(self) -> set[int]:
        """Whose secrets have to be rebuilt: the survivors', and those that share a mask with one."""
        silent = self._participants - self._survivors
        return self._survivors | {
            node for node in silent if not self._survivors.isdisjoint(self._around(node))
        }

    def _unrecoverable(self, holders: set[int]) -> str:
        """Says whose secrets the given holders cannot rebuild; empty if they can rebuild all."""
        threshold = self.terms.threshold
        for owner in sorted(self._owners()):
            left = len(holders.intersection(self._around(owner)))
            if left < threshold:
                return f"{self.terms.group[owner]} has {left} holders left, {threshold} needed"
        return ""

    def _rebuilt(self, owner: int) -> bytes:
        name, keys = self.terms.group[owner], self._keys[owner]

        def committed(secret: bytes) -> bool:
            if owner in self._survivors:
                return self.terms.commitment(name, secret) == keys.commitment
            return key_pair(secret).public == keys.mask

        secret, wrong = rebuild(self._shares.get(owner, {}), self.terms.threshold, committed)
        around = self._around(owner)
        for place in wrong:
            holder = self.terms.group[around[place]]
            reason = f"the share of a secret of {name} at {holder} does not fit the others (rule 15)"
            self.late_faults.append(FaultyParty(holder, reason, (name,)))
        return secret
