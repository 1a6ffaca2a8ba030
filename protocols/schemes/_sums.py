"""What a party that added vectors tells the aggregator: whose, and their sum, group by group."""

from collections.abc import Callable, Mapping, Sequence

from protocols.errors import FaultyParty
from protocols.opened import Lost, Opened, opened_rows
from protocols.party import PartyId
from protocols.ring import Residues, received, to_bytes, total
from protocols.session import Session
from protocols.wire import Message

Row = tuple[tuple[PartyId, ...], Residues | None]
"""Who of a group answered, and their sum if they were enough."""


class Sums(Message, frozen=True):
    """For each group: which of its nodes answered, by index, and their sum, 8·d bytes; empty if too few."""

    answered: tuple[tuple[int, ...], ...]
    words: tuple[bytes, ...]


def sums_of(session: Session, vectors: Mapping[PartyId, Residues], survivors: Callable[[int], int]) -> Sums:
    """The sums of the groups that have at least as many vectors as `survivors` of their size."""
    answered = [tuple(i for i, node in enumerate(group) if node in vectors) for group in session.groups]
    words = [
        to_bytes(total(vectors[group[i]] for i in places)) if len(places) >= survivors(len(group)) else b""
        for group, places in zip(session.groups, answered, strict=True)
    ]
    return Sums(tuple(answered), tuple(words))


def read_sums(session: Session, sender: PartyId, sums: Sums, survivors: Callable[[int], int]) -> list[Row]:
    """A row for each group; `FaultyParty` blames `sender` for sums that this session does not have."""
    if not len(sums.answered) == len(sums.words) == len(session.groups):
        raise FaultyParty(sender, f"sent {len(sums.words)} sums for {len(session.groups)} groups")
    rows: list[Row] = []
    for index, (group, answered) in enumerate(zip(session.groups, sums.answered, strict=True)):
        if list(answered) != sorted(set(answered) & set(range(len(group)))):
            raise FaultyParty(sender, f"named nodes that are not in group {index}")
        words = sums.words[index]
        if words and len(answered) < survivors(len(group)):
            raise FaultyParty(sender, f"opened group {index} with only {len(answered)} of its nodes")
        present = tuple(group[i] for i in answered)
        rows.append((present, received(sender, words, session.length) if words else None))
    return rows


def opened_from(session: Session, rows: Sequence[Row]) -> Opened:
    """What the aggregator has learned from a row for each group; `TooFewParties` if no group was opened."""
    found = [(present, row) for present, row in rows if row is not None]
    lost = []
    for index, (group, (present, row)) in enumerate(zip(session.groups, rows, strict=True)):
        if row is None:
            missing = tuple(node for node in group if node not in set(present))
            lost.append(Lost(index, missing, f"only {len(present)} of {len(group)} answered"))
    return opened_rows(session, [row for _, row in found], [present for present, _ in found], lost)
