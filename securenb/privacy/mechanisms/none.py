"""No noise: the sums are opened as they are, and the ledger says that nothing is private."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Self

from securenb.privacy.mechanism import Mechanism
from securenb.schema.schema import Block, Schema


@dataclass(frozen=True)
class NoNoise(Mechanism):
    """Not differentially private."""

    delta: float = field(default=0.0, init=False, repr=False)

    @classmethod
    def from_epsilon(cls, epsilon: float | str | Fraction, delta: float | None = None) -> Self:
        """Refuses: without noise no epsilon holds."""
        raise ValueError(f"no noise cannot promise epsilon {epsilon}")

    @classmethod
    def of(cls, epsilon: Fraction, delta: float) -> Self:
        """See `from_epsilon`."""
        return cls.from_epsilon(epsilon)

    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> None:
        """Nothing."""
