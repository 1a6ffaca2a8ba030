"""Rounds of proven statistics: nodes add no noise, aggregators do, and a node is worth at most its cap."""

from protocols.protocol import Protocol
from protocols.schemes.verified import Verified
from protocols.validity import Validity
from securenb.federation.submissions import Registry
from securenb.federation.witnessing import with_witnesses
from securenb.privacy.mechanism import Mechanism
from securenb.robust.bounds import breakdown_share
from securenb.schema.increments import Increments
from securenb.schema.invariants import invariants
from securenb.schema.schema import Schema


def provable(
    schema: Schema, protocol: Protocol, mechanism: Mechanism, cap: int, colluding: int, witnesses: int = 0
) -> tuple[Verified, Validity]:
    """The protocol that proves statistics of at most `cap` records, and what it proves.

    Of `witnesses` cells behind the statistics it proves that nodes leave them empty.

    Raises
    ------
    ValueError
        If the protocol is another, or proves something else; if nodes are to collude, who add no noise
        here; if the mechanism needs statistics on a finer grid, which are not what is proven.
    """
    rules = schema.validity(cap) if isinstance(schema, Increments) else invariants(schema, cap)
    rules = with_witnesses(rules, witnesses)
    if not isinstance(protocol, Verified) or protocol.validity not in (None, rules):
        raise ValueError(f"only the protocol verified proves these statistics, not {protocol}")
    if colluding:
        raise ValueError(f"nodes add no noise, so {colluding} of them cannot tell it")
    if mechanism.grid != 1:
        raise ValueError(f"{mechanism} needs statistics on a finer grid than those that are proven")
    return protocol, rules


def quotas_in_words(layout: Schema) -> str:
    """What a round of increments bounds, in words; empty for a round of statistics."""
    if not isinstance(layout, Increments):
        return ""
    quotas = ", ".join(f"{name} {quota}" for name, quota in zip(layout.classes, layout.quotas, strict=True))
    return f"proven: no node counts for more records of a class than its quota ({quotas})"


def proven_in_words(registry: Registry, mean_size: float) -> str:
    """What the round bounds, in words, when `mean_size` records are submitted at a time, in the mean."""
    cap, what = registry.cap, "submission" if registry.submissions else "node"
    return (
        f"proven: no {what} counts for more than {cap} records, "
        f"{cap / mean_size:.2f} × the mean size; a full label flip needs more than "
        f"{100 * breakdown_share(cap / mean_size):.0f} % of the {what}s"
    )
