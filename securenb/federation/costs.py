"""What a round costs: one release for each opened row, and one for each vector that somebody reads."""

from collections.abc import Callable, Sequence

from protocols.grouping import Groups
from securenb.privacy.ledger import Ledger, Release, Seen
from securenb.privacy.mechanism import Charge, Mechanism
from securenb.schema.schema import Schema


def charges(
    mechanism: Mechanism,
    schema: Schema,
    among: Callable[[int], int],
    groups: Groups,
    rows: Sequence[Sequence[str]],
    *,
    vectors: bool,
) -> Ledger:
    """The ledger of a round.

    Parameters
    ----------
    among
        How many shares make a dose in a group of that size.
    groups
        Who was to be summed with whom: the doses counted on that.
    rows
        Members of the rows that are opened.
    vectors
        Whether the aggregator, or other nodes, also read each node's vector, with its one share.
    """
    ledger, name = Ledger(), str(mechanism)
    size_of = {node: len(group) for group in groups for node in group}
    known: dict[tuple[int, int], Charge] = {}

    def release(what: str, members: Sequence[str], seen: Seen) -> None:
        enough = among(size_of[members[0]])
        shares = enough if seen == "row" else 1
        if (enough, shares) not in known:
            known[enough, shares] = mechanism.charge(schema, enough, shares)
        ledger.record(Release(what, tuple(members), known[enough, shares], name, enough, seen))

    for index, members in enumerate(rows):
        release(f"row {index}", members, "row")
    if vectors:
        for node in size_of:
            release(f"vector of {node}", [node], "vector")
    return ledger
