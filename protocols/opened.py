"""What the aggregator is meant to learn: sums of groups, and whose they are."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from protocols.errors import TooFewParties
from protocols.grouping import Groups
from protocols.party import PartyId
from protocols.ring import Integers, Residues, from_ring, total
from protocols.session import Session


@dataclass(frozen=True)
class Lost:
    """A group that was not opened, and why; nothing of it was released."""

    group: int
    missing: tuple[PartyId, ...]
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Opened:
    """All that the aggregator is meant to learn.

    Attributes
    ----------
    rows
        Sums, shape (g, d), int64: one row for each group that was opened.
    members
        Whose vectors each row sums: the survivors of the group, g tuples.
    lost
        Groups that were not opened.
    """

    rows: Integers
    members: Groups
    lost: tuple[Lost, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.rows.dtype != np.int64 or self.rows.ndim != 2 or len(self.rows) != len(self.members):
            raise ValueError(f"expected int64 rows for {len(self.members)} groups, got {self.rows.shape}")

    def and_then(self, later: "Opened") -> "Opened":
        """What both runs opened, this one's rows first."""
        rows = np.concatenate([self.rows, later.rows])
        return Opened(rows, self.members + later.members, self.lost + later.lost)

    def __repr__(self) -> str:
        sizes = sorted({len(members) for members in self.members})
        of = "" if not sizes else f" of {sizes[0]}" if len(sizes) == 1 else f" of {sizes[0]} to {sizes[-1]}"
        lost = f", {len(self.lost)} groups lost" if self.lost else ""
        return f"<Opened: {len(self.rows)} sums{of} nodes, {self.rows.shape[1]} coordinates{lost}>"


def nothing_opened(lost: Sequence[Lost]) -> TooFewParties:
    """The error for a run in which every group is lost; it names all that are missing."""
    missing = [node for group in lost for node in group.missing]
    return TooFewParties(missing, f"no group could be opened: {lost[0].reason}")


def enough_present(
    session: Session, present: Collection[PartyId], survivors: Callable[[int], int]
) -> tuple[dict[int, tuple[PartyId, ...]], list[Lost]]:
    """The groups of which enough members are present, by index, with those members; and the others.

    Parameters
    ----------
    present
        Whose vectors arrived.
    survivors
        The fewest nodes that a group of the given size is opened with.

    Raises
    ------
    TooFewParties
        If no group has enough, naming all that are missing.
    """
    members: dict[int, tuple[PartyId, ...]] = {}
    lost: list[Lost] = []
    for index, group in enumerate(session.groups):
        here = tuple(node for node in group if node in present)
        needed = survivors(len(group))
        if len(here) >= needed:
            members[index] = here
        else:
            missing = tuple(node for node in group if node not in present)
            lost.append(Lost(index, missing, f"{len(here)} of {len(group)} answered, {needed} needed"))
    if not members:
        raise nothing_opened(lost)
    return members, lost


def check_members(
    session: Session, index: int, members: Sequence[PartyId], survivors: Callable[[int], int]
) -> None:
    """Raise `ValueError` unless `members` are enough different nodes of group `index`, in its order."""
    if not 0 <= index < len(session.groups):
        raise ValueError(f"there is no group {index}")
    claimed, group = set(members), session.groups[index]
    if tuple(members) != tuple(node for node in group if node in claimed):
        raise ValueError(f"these are not different nodes of group {index} in its order")
    if len(members) < survivors(len(group)):
        raise ValueError(
            f"{len(members)} of the {len(group)} nodes of group {index}, {survivors(len(group))} needed"
        )


def opened_sums(
    session: Session, vectors: Mapping[PartyId, Residues], survivors: Callable[[int], int]
) -> Opened:
    """Sum the vectors of each group that has enough of them.

    Parameters
    ----------
    vectors
        What arrived, (d,) residues by node.
    survivors
        The fewest nodes that a group of the given size is opened with.

    Raises
    ------
    TooFewParties
        If no group has enough.
    """
    members, lost = enough_present(session, vectors.keys(), survivors)
    rows = [total(vectors[node] for node in present) for present in members.values()]
    return opened_rows(session, rows, list(members.values()), lost)


def opened_rows(
    session: Session, rows: Sequence[Residues], members: Sequence[tuple[PartyId, ...]], lost: Sequence[Lost]
) -> Opened:
    """The rows that honest members could add up to; where masks hide who sent too much, the group is lost.

    Raises
    ------
    TooFewParties
        If no row is left, naming all that are missing.
    """
    kept = []
    lost = list(lost)
    for row, present in zip(rows, members, strict=True):
        most = len(present) * session.capacity.largest_input
        if -most <= int(from_ring(row).min()) and int(from_ring(row).max()) <= most:
            kept.append((row, present))
        else:
            reason = f"its sum is beyond ±{most}: a node sent more than it may"
            lost.append(Lost(session.group_of[present[0]], (), reason))
    lost.sort(key=lambda group: group.group)
    if not kept:
        raise nothing_opened(lost)
    opened = np.stack([row for row, _ in kept])
    return Opened(from_ring(opened), tuple(present for _, present in kept), tuple(lost))
