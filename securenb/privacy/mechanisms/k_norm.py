"""K-norm noise: all that one record moves at once hides behind one radius, where a dose is added whole."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

from securenb.privacy.distributions import Polya
from securenb.privacy.joint import BoxMarginal, BoxNoise, of_blocks
from securenb.privacy.mechanism import Mechanism
from securenb.schema.schema import Block, Schema

RESOLUTION = 1000
"""The derived split is a multiple of 1 / RESOLUTION."""


@dataclass(frozen=True)
class KNorm(Mechanism):
    """P(x) ∝ exp(-epsilon · ⌈max |x_j| / reach_j⌉), jointly over blocks of a class (Hardt and Talwar 2010).

    A record moves the count of its class by 1, each sum and sum of squares by at most its reach, and of a
    binary feature the difference n₁ - n₀ by ±1, all at once: inside one box. Noise that is uniform in a box
    of random size is pure differential privacy, and its standard deviation is sqrt((m + 1) (m + 2) / 3)
    reaches over epsilon, where m queries answered one by one get sqrt(2) m: 2 to 2.4 times less. Features
    with more levels get discrete Laplace noise from a public part of epsilon.

    Parameters
    ----------
    epsilon
        What one opened row costs, exactly.
    split
        The part of epsilon that the box gets, from 0.001 to 0.999; by default what makes the sum over
        queries of their variances, in reaches, least. All of it if every feature is a number or binary.
    """

    epsilon: Fraction
    split: float | None = None
    delta: float = field(default=0.0, init=False, repr=False)
    divides: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ValueError(f"epsilon must be a positive number, got {self.epsilon}")
        if self.split is not None and not 1 / RESOLUTION <= self.split <= 1 - 1 / RESOLUTION:
            raise ValueError(
                f"split must be from {1 / RESOLUTION} to {1 - 1 / RESOLUTION}, got {self.split}: a smaller "
                "part is not worth drawing noise for"
            )

    @classmethod
    def of(cls, epsilon: Fraction, delta: float) -> Self:
        """See `Mechanism.of`."""
        return cls(epsilon)

    def parts(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """What of epsilon the box gets, and what the other blocks share equally; exact."""
        inside, outside = _inside(schema), _outside(schema)
        if not outside:
            return self.epsilon, Fraction(0)
        if self.split is None:
            # m queries of variance (m + 1) (m + 2) / 3 in the box, k of 2 k² beside it, over squared epsilons
            m, k = len(inside), len(outside)
            box, rest = (m * (m + 1) * (m + 2) / 3) ** (1 / 3), (2 * k**3) ** (1 / 3)
            part = Fraction(round(RESOLUTION * box / (box + rest)), RESOLUTION)
        else:
            part = Fraction(str(self.split))
        return self.epsilon * part, self.epsilon * (1 - part)

    def joint(self, schema: Schema, shares: int = 1) -> BoxNoise:
        """See `Mechanism.joint`.

        Raises
        ------
        ValueError
            If nodes send increments, of which no record moves a box.
        """
        return of_blocks(self.parts(schema)[0], _inside(schema), shares)

    def noise(self, schema: Schema, block: Block, among: int, shares: int = 1) -> BoxMarginal | Polya:
        """See `Mechanism.noise`; a `ValueError` for more than one share to a dose."""
        self._check(among)
        if block in _inside(schema):
            return self.joint(schema, shares).marginal(block)
        each = self.parts(schema)[1] / len(_outside(schema))
        return Polya(block.moves * block.reach / each, Fraction(shares))


def _inside(schema: Schema) -> Sequence[Block]:
    """The blocks of which a record moves one number, or one of two levels: the count comes first."""
    if schema.blocks[0].kind != "count":
        raise ValueError(
            f"k_norm is noise for sums of records, which nodes do not send here ({schema.blocks[0].kind}): "
            "use discrete_laplace"
        )
    return [
        block
        for block in schema.blocks
        if block.moves == 1 and (block.width == 1 or (block.width == 2 and block.partition))
    ]


def _outside(schema: Schema) -> Sequence[Block]:
    inside = set(_inside(schema))
    return [block for block in schema.blocks if block not in inside]
