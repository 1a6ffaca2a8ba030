"""A round of proven statistics: nodes add no noise, aggregators do, and a node is worth at most its cap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from protocols.grouping import Groups
from protocols.opened import Opened
from protocols.party import PartyId
from protocols.ring import Integers
from protocols.schemes.verified import Verified
from protocols.session import Session
from securenb.data.node import Node
from securenb.federation.federation import Federation
from securenb.federation.round import Contributions, Round
from securenb.federation.submissions import MARK, check_identities, expanded, identities, parts
from securenb.privacy.ledger import Ledger
from securenb.privacy.samplers import ExactNoise, FastNoise, Noise
from securenb.robust.bounds import breakdown_share
from securenb.robust.rule import Rows, Rule
from securenb.schema.invariants import invariants


@dataclass(frozen=True)
class VerifiedFederation(Federation):
    """The choices that make a round under the protocol `verified`.

    Nodes prove that their exact statistics obey `securenb.schema.invariants` with `record_cap`. Each
    aggregator adds a full dose of the mechanism's noise to each row, so that any honest one suffices: the
    variance is that of one dose times the number of aggregators. A node whose statistics are not valid is
    blamed and left out.

    Parameters
    ----------
    submissions
        How many submissions of at most `record_cap` records the registry allows a node, publicly; one
        where it says nothing. See `securenb.federation.submissions`.

    Raises
    ------
    ValueError
        If the protocol is another, or proves something else; if nodes are to collude, who add no noise
        here; if the mechanism needs statistics on a finer grid, which are not what is proven.
    """

    submissions: Mapping[str, int] = field(default_factory=dict)

    proves: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        rules = invariants(self.schema, self.record_cap)
        if not isinstance(self.protocol, Verified) or self.protocol.validity not in (None, rules):
            raise ValueError(f"only the protocol verified proves these statistics, not {self.protocol}")
        for node, allowed in self.submissions.items():
            if allowed < 1 or MARK in node:
                raise ValueError(
                    f"a node may submit once or more, and has no {MARK} in its name: {node}, {allowed}"
                )
        if self.colluding:
            raise ValueError(f"nodes add no noise, so {self.colluding} of them cannot tell it")
        if self.mechanism.grid != 1:
            raise ValueError(f"{self.mechanism} needs statistics on a finer grid than those that are proven")
        armed = replace(self.protocol, validity=rules, noise=self._dose)
        object.__setattr__(self, "protocol", armed)

    def grouped(self, ids: Sequence[str]) -> Groups:
        """See `Federation.grouped`; all submissions of a node are in one group.

        Raises
        ------
        ValueError
            If a group of several could be opened with the submissions of one.
        """
        groups = expanded(super().grouped(identities(ids)), self.submissions)
        for group in groups if self.submissions else ():
            check_identities(group, self.protocol.survivors(len(group)))
        return groups

    def prepare(self, nodes: Sequence[Node], earlier: Round | None = None) -> Contributions:
        """See `Federation.prepare`; nodes with more records than the cap split, as far as they may."""
        if MARK in "".join(node.id for node in nodes):
            raise ValueError(f"{MARK} is kept for the submissions of a node that makes several")
        split = [parts(node, self.submissions.get(node.id, 1), self.record_cap) for node in nodes]
        return super().prepare([part for of_one in split for part in of_one], earlier)

    def charged(self, groups: Groups, opened: Sequence[Sequence[str]] | None = None) -> Ledger:
        """See `Federation.charged`; whoever makes several submissions to a row pays for it once."""
        rows = groups if opened is None else opened
        return super().charged(tuple(map(identities, groups)), [identities(row) for row in rows])

    def ready(self, opened: Opened) -> tuple[Rule, Rows]:
        """See `Federation.ready`.

        Raises
        ------
        ValueError
            If the rule relies on the cap, and as many nodes as may be malicious could hold half of what
            was opened: then labels can be flipped.
        """
        rule, rows = super().ready(opened)
        total = int(np.maximum(rows.tables[..., 0].sum(axis=0), 0).sum())
        allowed = sorted(self.submissions.get(n, 1) for row in opened.members for n in identities(row))
        most = self.record_cap * sum(allowed[len(allowed) - self.malicious :])
        if rule.capped and self.malicious and 2 * most >= total:
            raise ValueError(
                f"{self.malicious} malicious nodes may hold {most} of the {total} records that were opened; "
                "half of them can flip every label: allow fewer, or a lower cap"
            )
        return rule, rows

    def among(self, size: int) -> int:
        """One: any aggregator's noise is a dose, whoever of the nodes survives."""
        return 1

    def share(self, node: Node, size: int, earlier: Round | None = None) -> Integers:
        """None: aggregators add the noise."""
        return np.zeros(self.schema.length, dtype=np.int64)

    def shares(self, size: int) -> int:
        """A dose of each aggregator."""
        return 1 + len(self.protocol.trustee_ids([]))

    def _dose(self, aggregator: PartyId, session: Session, group: int) -> Integers:
        source: Noise
        name = f"{aggregator} {session.id.hex()} {group}"
        if self.seed is None:
            source = ExactNoise(self.streams.entropy(f"noise {name}"))
        else:
            source = FastNoise(self.streams.rng("noise", name))
        return self.mechanism.share(self.schema, 1, source)


def proven(federation: VerifiedFederation, mean_size: float) -> str:
    """What the round bounds, in words, when `mean_size` records are submitted at a time, in the mean."""
    cap, what = federation.record_cap, "submission" if federation.submissions else "node"
    return (
        f"proven: no {what} counts for more than {cap} records, "
        f"{cap / mean_size:.2f} × the mean size; a full label flip needs more than "
        f"{100 * breakdown_share(cap / mean_size):.0f} % of the {what}s"
    )
