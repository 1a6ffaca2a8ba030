"""What the audit says of our own releases, of pure noise, and of canaries: its false alarms and its reach.

    python -m benchmarks.audit

Prints a Markdown table for Adult's 21 queries: over `--seeds` seeds and both adjacencies, the largest
lower bound as a part of its claim, and how many exceeded it, all bounds of all seeds together at
`--confidence`; the same on releases that hold no record at all; and what single audits at 95 % reach.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attacks.audit.federation_target import FederationTarget
from attacks.audit.finding import Finding
from attacks.audit.run import run_audit
from attacks.audit.target import Target, Values
from protocols.protocol import PROTOCOLS
from securenb.data.dataset import DATASETS
from securenb.data.node import Node
from securenb.data.partition import node_ids
from securenb.federation.federation import Federation
from securenb.privacy.mechanisms.discrete_laplace import DiscreteLaplace
from securenb.privacy.sensitivity import ADJACENCIES
from securenb.robust.rules.sum import Sum
from securenb.schema.records import Records

NODES = 100


class Null(FederationTarget):
    """Releases the noise and nothing else."""

    def sample(
        self, records: Any, columns: NDArray[np.int64], trials: int, rng: np.random.Generator
    ) -> Values:
        """Samples of a node without records."""
        return super().sample(records[:0], columns, trials, rng)


def findings(target: Target, seeds: int, confidence: float) -> Iterator[Finding]:
    """Every statistical finding; each level of each audit takes an equal part of what may go wrong."""
    alpha = (1 - confidence) / (seeds * len(ADJACENCIES) * 2)
    for seed in range(seeds):
        for adjacency in ADJACENCIES:
            yield from run_audit(target, adjacency, ["L2", "L3"], seed=seed, confidence=1 - alpha).findings


def line(name: str, found: list[Finding]) -> str:
    """One line of the table."""
    above = sum(finding.bound > finding.claimed for finding in found)  # type: ignore[operator]
    cells = [name]
    for level in ("L2", "L3"):
        those = [finding for finding in found if finding.level == level]
        cells.append(f"{max(finding.bound / finding.claimed for finding in those):.2f}")  # type: ignore[operator]
    largest = max(finding.bound for finding in found if finding.bound is not None)
    return f"| {' | '.join([*cells, f'{largest:.3f}', f'{above} of {len(found)}'])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--confidence", type=float, default=0.999)
    arguments = parser.parse_args()
    schema = DATASETS["adult"].schema
    empty = Records(np.zeros((0, len(schema.features)), dtype=np.int32), np.zeros(0, dtype=np.int32))
    nodes = [Node(name, empty) for name in node_ids(NODES)]
    federation = Federation(schema, PROTOCOLS["secagg"](), DiscreteLaplace(Fraction(1)), Sum(), seed=0)
    together = f"all at {100 * arguments.confidence:g} %"
    print("| releases | L2: bound / claim | L3: bound / claim | largest bound | above the claim |")
    print("| --- | --- | --- | --- | --- |")
    for name, kind in (("our own", FederationTarget), ("noise only", Null)):
        target = kind(federation, nodes)
        found = list(findings(target, arguments.seeds, arguments.confidence))
        print(line(f"{name}, {arguments.seeds} seeds, {together}", found), flush=True)
        found = list(findings(target, 1, 1 - 0.05 * 2 * len(ADJACENCIES)))
        print(line(f"{name}, seed 0, each level at 95 %", found), flush=True)


if __name__ == "__main__":
    main()
