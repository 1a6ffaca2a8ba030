"""No noise: the sums are opened as they are, and the ledger says that nothing is private."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from protocols.ring import Integers
from securenb.mechanism import Charge, Mechanism
from securenb.noise import Noise
from securenb.schema import Schema


@dataclass(frozen=True)
class NoNoise(Mechanism):
    """Not differentially private."""

    @classmethod
    def from_epsilon(cls, epsilon: float | str | Fraction) -> "NoNoise":
        """Refuses: without noise no epsilon holds."""
        raise ValueError(f"no noise cannot promise epsilon {epsilon}")

    def share(self, schema: Schema, among: int, noise: Noise) -> Integers:
        """Zeros."""
        return np.zeros(schema.length, dtype=np.int64)

    def tail(self, schema: Schema, among: int, nodes: int) -> int:
        """Zero."""
        return 0

    def charge(self, schema: Schema) -> Charge:
        """No epsilon."""
        return Charge(None)
