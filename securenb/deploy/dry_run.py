"""Shows a site, and no other party, exactly what a round would send."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from protocols.engines.local import LocalRun
from protocols.party import AGGREGATOR
from protocols.protocol import PROTOCOLS
from securenb.deploy.plan import propose
from securenb.deploy.round_choices import RoundChoices
from securenb.deploy.site import Site
from securenb.privacy.ledger import shown
from securenb.schema.schema import Schema


def dry_run(site: Site, choices: Mapping[str, Any]) -> str:
    """What the site would send in a round with these choices and all sites of the roster; for people.

    The other sites are simulated, with nothing but zeros. Nothing is sent, claimed or paid. A real round
    draws other noise.

    Raises
    ------
    ValueError
        If the site would refuse to take part, with the reason.
    """
    me, schema = site.limits.party, site.schema
    trustees = {
        name for protocol in site.limits.protocols for name in PROTOCOLS.build(protocol).trustee_ids(())
    }
    sites = [name for name in site.roster if name != AGGREGATOR and name not in trustees]
    scenario = RoundChoices.checked(**choices)
    federation = scenario.federation_over(schema, nodes=len(sites))
    plan, session = propose(scenario, federation, federation.grouped(sites))
    site.limits.check(plan, federation, session)
    node = site.node()
    size = len(session.groups[session.group_of[me]])
    share = federation.share(node, size)
    exact = node.contribution(federation.layout, np.zeros_like(share), federation.mechanism.grid)
    vectors = {name: np.zeros(session.length, dtype=np.int64) for name in sites} | {me: exact + share}
    parties = federation.protocol.parties(vectors, session, federation.streams.entropy_for)
    run = LocalRun(parties, federation.protocol.codec(session), session, watch=[me])
    run.run()
    ledger = federation.charged(session.groups)
    read = "this vector" if federation.protocol.claims.sees == "vectors" else "sums"
    lines = [
        f"{me} would take part: protocol {plan.protocol}, {len(sites)} sites, {session.length} numbers",
        f"it would cost a record epsilon {shown(ledger.epsilon('add-remove'))} (add/remove), for good",
        f"the aggregator would read {read}",
        "it withstands:",
        *(
            f"  {compared.field}: {compared.theirs}; you want at least {compared.ours} ({compared.limit})"
            for compared in site.limits.compared(plan, federation, size)
        ),
        "",
        f"{'coordinate':<48} {'exact':>12} {'noise':>10} {'sent':>12}",
    ]
    lines += [
        f"{name:<48} {value:>12} {noise:>10} {value + noise:>12}"
        for name, value, noise in zip(coordinates(schema), exact.tolist(), share.tolist(), strict=True)
    ]
    lines += ["", "messages that carry it, sealed as the protocol says:"]
    lines += [
        f"  to {frame.recipient}: {len(frame.data):,} bytes"
        for frame in run.transcript.frames
        if frame.sender == me
    ]
    return "\n".join(lines)


def coordinates(schema: Schema) -> Iterator[str]:
    """The name of each coordinate of a vector of statistics, in order."""
    for label in schema.classes:
        yield f"{schema.label}={label}: records"
        for feature in schema.features:
            yield from (f"{schema.label}={label}: {coordinate}" for coordinate in feature.coordinates)
