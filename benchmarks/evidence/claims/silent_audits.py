"""An audit of nothing but noise finds nothing."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from benchmarks.audit import Null, findings
from benchmarks.evidence.claim import Claim, Result
from protocols.protocol import PROTOCOLS
from securenb.data.dataset import DATASETS
from securenb.data.node import Node
from securenb.data.partition import node_ids
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.robust.rules.sum import Sum
from securenb.schema.records import Records

CONFIDENCE = 0.999


class SilentAudits(Claim):
    """Audits of the noise of a hundred nodes without records, a seed a part."""

    says = "An audit of releases that hold nothing but noise never bounds epsilon above the claim."
    code = ("attacks/audit", "securenb/privacy", "benchmarks/audit.py")
    seed = 0
    parts = 10

    def measure(self, part: int, size: int | None = None) -> Result:
        """See `Claim.measure`; `size` is the number of nodes."""
        schema = DATASETS["phishing"].schema
        empty = Records(np.zeros((0, len(schema.features)), dtype=np.int32), np.zeros(0, dtype=np.int32))
        federation = Federation(
            schema, PROTOCOLS["secagg"](), DiscreteLaplace(Fraction(1)), Sum(), seed=self.seed + part
        )
        target = Null(federation, [Node(name, empty) for name in node_ids(size or 100)])
        found = [each for each in findings(target, 1, CONFIDENCE) if each.bound is not None]
        above = sum(finding.bound > finding.claimed for finding in found)  # type: ignore[operator]
        return {"findings": len(found), "above": above}

    def holds(self, results: Sequence[Result]) -> bool:
        """See `Claim.holds`."""
        return all(result["findings"] > 0 and result["above"] == 0 for result in results)
