"""Post-processing of opened rows that knows how much noise they carry; it costs no privacy.

Both steps leave sums without noise as they are. They take sums, not parameters, and come before a rule.
`docs/privacy.md` says what each gains.
"""

import math
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.federation.numbers import settled
from securenb.privacy.mechanism import Mechanism
from securenb.robust.rule import Rows
from securenb.schema.schema import Schema

SPREAD = 10.0
"""Prior variance of a count around its expected value e, over e²: a level may well be three times as
frequent in one class as in another."""


@dataclass(frozen=True)
class Refinement:
    """Which steps are taken.

    Parameters
    ----------
    consistency
        See `consistent`.
    shrinkage
        See `shrunk`, and `securenb.federation.numbers.settled`. Off by default: it helps with numbers and
        where many levels are rare, and costs accuracy where an absent level is what tells the classes apart.
    """

    consistency: bool = True
    shrinkage: bool = False

    @property
    def additive(self) -> bool:
        """Whether what is added to a row is added to the refined row; shrunk counts are sums no longer."""
        return not self.shrinkage

    def refine(self, rows: Rows, noise: Floats, *, pool: bool) -> Rows:
        """Better rows, rounded to integers.

        Parameters
        ----------
        noise
            Variance of the noise in each column of each row, shape (g, width).
        pool
            Whether only the sum of the rows matters: then that is refined, which has more to go by.
        """
        if not (noise > 0).any() or not (self.consistency or self.shrinkage):
            return rows
        tables, sizes = rows.tables, rows.sizes
        if pool:
            tables, sizes = tables.sum(axis=0, keepdims=True), sizes.sum(keepdims=True)
            # fsum: the same to the last bit for rows in any order
            noise = np.array([[math.fsum(column) for column in noise.T]])
        refined: Floats = tables.astype(np.float64)
        if self.consistency:
            refined = consistent(rows.schema, refined, noise)
        if self.shrinkage:
            refined = settled(rows.schema, shrunk(rows.schema, refined, noise), noise)
        # halves upwards: so rounding commutes with adding integers, which certificates rely on
        return Rows(rows.schema, np.floor(refined + 0.5).astype(np.int64), sizes)


USUAL = Refinement()
"""What is done unless something else is asked for."""


def variances(mechanism: Mechanism, schema: Schema, among: int, shares: int) -> Floats:
    """The variance of the noise in each column of a row that sums `shares` shares, shape (width,)."""
    result = np.zeros(schema.width)
    for block in schema.blocks:
        law = mechanism.noise(schema, block, among, shares)
        if law is not None:
            result[block.columns] = law.spread() / mechanism.grid**2
    return result


def consistent(schema: Schema, table: Floats, noise: Floats) -> Floats:
    """The least-squares counts that add up: every feature's levels of a class to the class count.

    The count and each feature's sum of levels all estimate the number of records of the class; weighted
    by their precision they give one estimate, and each feature's levels share the difference to it.

    Parameters
    ----------
    table
        Opened sums, shape (..., C, width).
    noise
        Variance of the noise in each column, shape (..., width); levels of one feature have the same.
    """
    result = np.array(table, dtype=np.float64)
    levels = [block for block in schema.blocks if block.partition]
    if not (noise > 0).any() or not levels:
        return result
    totals = np.stack([result[..., 0], *(result[..., block.columns].sum(axis=-1) for block in levels)], -1)
    spread = np.stack([noise[..., 0], *(noise[..., block.columns].sum(axis=-1) for block in levels)], -1)
    weights = 1 / spread[..., None, :]
    counts = (totals * weights).sum(axis=-1) / weights.sum(axis=-1)
    result[..., 0] = counts
    for block in levels:
        cells = result[..., block.columns]
        cells += ((counts - cells.sum(axis=-1)) / (block.stop - block.start))[..., None]
    return result


def shrunk(schema: Schema, table: Floats, noise: Floats) -> Floats:
    """Level counts pulled towards what they would be if the feature did not tell the classes apart.

    That is e[y, v] = n[y] · share of v among all records. A count keeps s / (s + noise variance) of its
    distance to e, with s = `SPREAD` e²: the best linear estimate if true counts are spread like that.
    Counts far above the noise stay, those below it no longer tell classes apart.

    Parameters
    ----------
    table, noise
        As for `consistent`.
    """
    result = np.array(table, dtype=np.float64)
    if not (noise > 0).any():
        return result
    counts = np.maximum(result[..., 0], 1.0)
    for block in schema.blocks:
        if not block.partition:
            continue
        cells = np.maximum(result[..., block.columns], 0.0)
        pooled = np.maximum(result[..., block.columns].sum(axis=-2), 0.0) + 1.0
        expected = counts[..., None] * (pooled / pooled.sum(axis=-1, keepdims=True))[..., None, :]
        prior = SPREAD * expected**2
        kept = prior / (prior + noise[..., None, block.columns])
        result[..., block.columns] = expected + kept * (cells - expected)
    return result
