"""Secure aggregation that survives drop-outs at every stage: each node holds a share of every other.

Source: Bonawitz et al. 2017, "Practical Secure Aggregation for Privacy-Preserving Machine Learning",
figure 4. Deviations are listed in docs/protocols/secagg.md.
"""

from dataclasses import dataclass

from protocols.primitives.harary import Complete, Neighbourhoods
from protocols.protocol import Claims
from protocols.schemes._double_masking.protocol import DoubleMasking
from protocols.session import Session


@dataclass(frozen=True)
class SecAgg(DoubleMasking):
    """Double masks on the complete graph; cost per node grows with the group."""

    claims = Claims(
        sees="sums",
        trust="two thirds of each group (semi-honest: half), not to work with the aggregator",
        dropouts="at any stage; the survivors are summed, down to the threshold",
        malicious_aggregator=(
            "nothing in the malicious profile, but it can prevent a result; all in the semi-honest one"
        ),
        source="Bonawitz et al. 2017",
    )

    def graph(self, session: Session, group: int) -> tuple[Neighbourhoods, int]:
        """See `DoubleMasking.graph`; the threshold is that of the sum."""
        size = len(session.groups[group])
        threshold = self.survivors(size)
        self.check_threshold(threshold, size)
        return Complete(size), threshold

    def withstands(self, size: int) -> int:
        """See `DoubleMasking.withstands`; the largest c with 2t > h + c, or t > c."""
        threshold = self.survivors(size)
        return 2 * threshold - size - 1 if self.profile == "malicious" else threshold - 1
