"""A round of proven statistics: nodes add no noise, aggregators do, and a node is worth at most its cap."""

from dataclasses import dataclass, replace

import numpy as np

from protocols.party import PartyId
from protocols.ring import Integers
from protocols.schemes.verified import Verified
from protocols.session import Session
from securenb.federation import Federation
from securenb.node import Node
from securenb.noise import ExactNoise, FastNoise, Noise
from securenb.preflight import breakdown_share
from securenb.round import Round
from securenb.validity import invariants


@dataclass(frozen=True)
class VerifiedFederation(Federation):
    """The choices that make a round under the protocol `verified`.

    Nodes prove that their exact statistics obey `securenb.validity.invariants` with `record_cap`. Each
    aggregator adds a full dose of the mechanism's noise to each row, so that any honest one suffices: the
    variance is that of one dose times the number of aggregators. A node whose statistics are not valid is
    blamed and left out.

    Raises
    ------
    ValueError
        If the protocol is another, or proves something else; if nodes are to collude, who add no noise
        here; if the mechanism needs statistics on a finer grid, which are not what is proven.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        rules = invariants(self.schema, self.record_cap)
        if not isinstance(self.protocol, Verified) or self.protocol.validity not in (None, rules):
            raise ValueError(f"only the protocol verified proves these statistics, not {self.protocol}")
        if self.colluding:
            raise ValueError(f"nodes add no noise, so {self.colluding} of them cannot tell it")
        if self.mechanism.grid != 1:
            raise ValueError(f"{self.mechanism} needs statistics on a finer grid than those that are proven")
        armed = replace(self.protocol, validity=rules, noise=self._dose)
        object.__setattr__(self, "protocol", armed)

    def among(self, size: int) -> int:
        """One: any aggregator's noise is a dose, whoever of the nodes survives."""
        self.protocol.survivors(size)
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
    """What the round bounds, in words, when honest nodes hold `mean_size` records in the mean."""
    cap = federation.record_cap
    return (
        f"proven: no node counts for more than {cap} records, {cap / mean_size:.2f} × the mean size; "
        f"a full label flip needs more than {100 * breakdown_share(cap / mean_size):.0f} % of the nodes"
    )
