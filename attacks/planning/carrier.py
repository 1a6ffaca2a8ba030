"""Which secure sum carries a design: who it keeps vectors from, whom it needs, and what it costs."""

import math
from dataclasses import dataclass, replace
from functools import cache

import pandas as pd

from attacks.planning.design import Design, survivors
from attacks.planning.wishes import Wishes
from protocols.protocol import PROTOCOLS
from protocols.session import Session
from securenb.experiments.scale import scale
from securenb.federation.federation import Federation
from securenb.privacy.spec import choose_mechanism
from securenb.robust.rules.sum import Sum
from securenb.schema.schema import Schema

MEASURED = (10, 40)
"""Nodes of the runs that costs are projected from."""


@dataclass(frozen=True)
class Carrier:
    """A secure sum that may carry a round, and its costs.

    Attributes
    ----------
    spec
        With its parameters.
    threshold
        The fewest nodes that a group is opened with.
    trustees
        Parties besides nodes and aggregator.
    sent, received
        Bytes of a node.
    seconds
        Of the round: the chain of its messages at the latency, a node's time and the aggregator's.
    messages
        The length of that chain.
    projected
        Whether costs follow from runs with `MEASURED` nodes, along a line over the number of partners of a
        node, and were not measured with as many as there will be.
    """

    spec: str
    threshold: int
    trustees: int
    sent: float
    received: float
    seconds: float
    messages: int
    projected: bool

    @property
    def price(self) -> tuple[int, float, float]:
        """What carriers are compared by: parties that must be found and trusted, then time, then bytes.

        Times are rounded to two tenths of a second and bytes to kilobytes: less is no reason.
        """
        return self.trustees, round(5 * self.seconds) / 5, round(self.sent + self.received, -3)


def carriers(
    design: Design, schema: Schema, wishes: Wishes, cap: int
) -> tuple[list[Carrier], dict[str, int], dict[str, str]]:
    """Secure sums that may carry the design.

    Parameters
    ----------
    schema
        With numbers in the design's shape.
    cap
        The most records of a node, where nodes prove that.

    Returns
    -------
    list of Carrier, dict, dict
        Those that need the fewest further parties, cheapest first; how many further parties others need,
        which are not measured; and why the rest may not.
    """
    able, refused = {}, {}
    names = ["verified"] if design.inputs == "verified" else [name for name in PROTOCOLS if name != "ideal"]
    for name in names:
        spec = _spec(name, wishes)
        try:
            able[spec] = _fitting(spec, design, schema, wishes, cap)
        except ValueError as error:
            refused[spec] = str(error)
    trustees = {spec: len(session.trustees) for spec, session in able.items()}
    fewest = min(trustees.values(), default=0)
    others = {spec: count for spec, count in trustees.items() if count > fewest}
    found = [_costed(spec, able[spec], design, wishes) for spec in able if spec not in others]
    return sorted(found, key=lambda carrier: carrier.price), others, refused


def _spec(name: str, wishes: Wishes) -> str:
    """The protocol with the parameters that the wishes ask for."""
    fields = PROTOCOLS[name].__dataclass_fields__
    chosen: dict[str, str] = {}
    if "profile" in fields:
        chosen["profile"] = wishes.server
    if "corrupt" in fields:
        corrupt = math.ceil(1e6 * wishes.colluding / wishes.nodes) / 1e6  # no fewer nodes than wished
        chosen |= {"corrupt": f"{corrupt:.6f}", "dropout": f"{wishes.silent:g}"}
    return PROTOCOLS.spelled(
        f"{name}({', '.join(f'{k}={v}' for k, v in chosen.items())})" if chosen else name
    )


def _fitting(spec: str, design: Design, schema: Schema, wishes: Wishes, cap: int) -> Session:
    """The session that would run; `ValueError` if it may not, or not against this server."""
    nodes = [f"node-{index}" for index in range(wishes.nodes)]
    size = design.group_size or wishes.nodes
    protocol = PROTOCOLS.build(spec, threshold=survivors(size, wishes))
    kept = protocol.keeps_from(size, malicious=wishes.server == "malicious")
    if kept < 0:
        claims = protocol.claims
        told = "vectors are read" if claims.vectors_are_read else claims.malicious_aggregator
        raise ValueError(f"a {wishes.server} server: {told}")
    if kept < wishes.colluding:
        raise ValueError(f"withstands {kept} colluding nodes in a group of {size}, not {wishes.colluding}")
    mechanism = choose_mechanism(design.mechanism, wishes.epsilon, wishes.delta if design.delta else None)
    # of statistics, whatever the rule: votes of nodes aside, which are longer
    federation = Federation(schema, protocol, mechanism, Sum(), design.group_size, seed=wishes.seed)
    if design.inputs == "verified":
        federation = replace(federation, record_cap=cap, proven=True)
    else:
        federation = replace(federation, colluding=wishes.colluding)
    return federation.session(federation.grouped(nodes))


@cache
def _run(spec: str, count: int, threshold: int, length: int, seed: int) -> pd.DataFrame:
    return scale(spec, PROTOCOLS.build(spec, threshold=threshold), [count], length, seed)


def _costed(spec: str, session: Session, design: Design, wishes: Wishes) -> Carrier:
    size = design.group_size or wishes.nodes
    runs = MEASURED if size > max(MEASURED) else (size,)
    protocol = PROTOCOLS.build(spec)
    partners = [protocol.partners(count) for count in (*runs, size)]
    sizes = [(count, survivors(count, wishes)) for count in runs]
    table = pd.concat([_run(spec, *each, session.length, wishes.seed) for each in sizes])

    def at_size(name: str) -> float:
        """Along the line through the runs, over the number of partners; flat where there are none."""
        low, high = float(table[name].iloc[0]), float(table[name].iloc[-1])
        further = (partners[-1] - partners[-2]) / max(1, partners[-2] - partners[0])
        return max(0.0, high + (high - low) * further)

    chain = round(at_size("rounds"))
    seconds = chain * wishes.latency / 1000 + at_size("node_cpu") + at_size("aggregator_cpu") * wishes.nodes
    threshold, trustees = survivors(size, wishes), len(session.trustees)
    sent, received = at_size("sent"), at_size("received")
    return Carrier(spec, threshold, trustees, sent, received, seconds, chain, len(runs) > 1)
