"""Secure aggregation for thousands of nodes: shares and masks only among neighbours on a random circle.

Source: Bell et al. 2020, "Secure Single-Server Aggregation with (Poly)Logarithmic Overhead". Deviations
are listed in docs/protocols/secagg_plus.md.
"""

from dataclasses import dataclass

from protocols.canonical import digest
from protocols.primitives.harary import Complete, Harary, Neighbourhoods
from protocols.primitives.neighbour_plan import NeighbourPlan, part_of, plan
from protocols.protocol import Claims
from protocols.schemes._double_masking.protocol import DoubleMasking
from protocols.session import Session
from protocols.session_rules import RefusedSession, SessionRule


@dataclass(frozen=True)
class SecAggPlus(DoubleMasking):
    """Double masks on a Harary graph sized for stated rates; cost per node grows with the logarithm.

    Groups below 100 nodes, and rates that leave nothing to gain, use the complete graph.

    Parameters
    ----------
    corrupt
        At most this fraction of a group works with the aggregator.
    dropout
        At most this fraction of a group falls silent, but for 2^-30; more may cost the group its sum.
    """

    corrupt: float = 0.05
    dropout: float = 0.05

    claims = Claims(
        sees="sums",
        trust="all but the stated corrupt fraction of each group, not to work with the aggregator",
        dropouts="at any stage; up to the stated fraction the survivors are summed",
        malicious_aggregator=(
            "nothing in the malicious profile, but it can prevent a result; all in the semi-honest one"
        ),
        source="Bell et al. 2020",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, rate in (("corrupt", self.corrupt), ("dropout", self.dropout)):
            if not 0 <= rate < 1:
                raise ValueError(f"{name} is a fraction from 0 to below 1, got {rate}")

    def plan(self, size: int) -> NeighbourPlan | None:
        """The neighbours and threshold for a group; `None` for the complete graph."""
        return plan(size, self.corrupt, self.dropout, malicious=self.profile == "malicious")

    def graph(self, session: Session, group: int) -> tuple[Neighbourhoods, int]:
        """See `DoubleMasking.graph`; the order of the nodes follows from the session's digest."""
        size = len(session.groups[group])
        planned = self.plan(size)
        if planned is not None:
            self.check_threshold(planned.threshold, planned.neighbours + 1)
            seed = digest("securenb neighbours", session.digest, group)
            return Harary(size, planned.neighbours, seed), planned.threshold
        threshold = self.survivors(size)
        self.check_threshold(threshold, size)
        self._check_rates(size, threshold)
        return Complete(size), threshold

    def partners(self, size: int) -> int:
        """See `Protocol.partners`."""
        planned = self.plan(size)
        return size - 1 if planned is None else planned.neighbours

    def withstands(self, size: int) -> int:
        """See `DoubleMasking.withstands`; as stated."""
        return part_of(size, self.corrupt)

    def _check_rates(self, size: int, threshold: int) -> None:
        """Refuse a threshold that does not keep the promise of the stated rates on the complete graph."""
        corrupt, silent = part_of(size, self.corrupt), part_of(size, self.dropout)
        # two confirmed sets, or two kinds of shares of one node, need 2·threshold - corrupt honest nodes
        safe = 2 * threshold > size + corrupt if self.profile == "malicious" else threshold > corrupt
        if not safe or threshold > size - silent:
            raise RefusedSession(
                SessionRule.SIZING,
                f"{threshold} of {size} holders do not answer {corrupt} corrupt and {silent} silent ones",
            )
