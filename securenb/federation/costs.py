"""What a round costs: one release for each opened row, and one for each vector that another party reads."""

from collections.abc import Sequence

from protocols.grouping import Groups
from securenb.federation.noise_plan import NoisePlan
from securenb.privacy.event import Event
from securenb.privacy.ledger import Ledger, Release, Seen
from securenb.privacy.mechanism import Charge


def together(*ledgers: Ledger) -> Ledger:
    """One ledger of all their releases, in order."""
    found = Ledger()
    for ledger in ledgers:
        for release in ledger.releases:
            found.record(release)
    return found


def charges(
    noise: NoisePlan,
    groups: Groups,
    rows: Sequence[Sequence[str]],
    *,
    vectors: bool,
    cap: int = 1,
) -> Ledger:
    """The ledger of a round.

    Parameters
    ----------
    noise
        What the rows carry, and how many contributors make a dose.
    groups
        Who was to be summed with whom: the doses counted on that.
    rows
        Members of the rows that are opened.
    vectors
        Whether the aggregator, or other nodes, also read each node's vector, with its one share.
    cap
        How many records change at once: 1, or the most that a node may hold, for the events of a ledger that
        protects whole nodes. Charges stay those of a record.
    """
    ledger, mechanism, schema = Ledger(), noise.mechanism, noise.schema
    name = str(mechanism)
    size_of = {node: len(group) for group in groups for node in group}
    known: dict[tuple[int, int], tuple[Charge, Event | None]] = {}

    def release(what: str, members: Sequence[str], seen: Seen) -> None:
        enough = noise.honest(size_of[members[0]])
        shares = enough if seen == "row" else 1
        if (enough, shares) not in known:
            charge = mechanism.charge(schema, enough, shares)
            event = mechanism.event(schema, enough, shares, cap)
            known[enough, shares] = charge, event
        charge, event = known[enough, shares]
        ledger.record(Release(what, tuple(members), charge, name, enough, seen, event))

    for index, members in enumerate(rows):
        release(f"row {index}", members, "row")
    if vectors:
        for node in size_of:
            release(f"vector of {node}", [node], "vector")
    return ledger
