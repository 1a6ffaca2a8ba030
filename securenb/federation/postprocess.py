"""Post-processing of opened rows that knows how much noise they carry; it costs no privacy.

Both steps leave sums without noise as they are. They take sums, not parameters, and come before a rule.
`docs/privacy.md` says what each gains.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.privacy.mechanism import Mechanism
from securenb.robust.rule import RULES, Rows, Rule
from securenb.schema.schema import Block, Schema
from securenb.schema.shrinking import class_counts


@dataclass(frozen=True)
class Refinement:
    """Which steps are taken.

    Parameters
    ----------
    consistency
        See `consistent`.
    shrinkage
        See `shrunk`. `None` leaves it to the rule (`securenb.robust.rule.Rule.shrinks`): the rule `sum` wants
        it; rules that compare rows, or promise something about sums, get them as they are.
    """

    consistency: bool = True
    shrinkage: bool | None = None

    def check(self, rule: Rule) -> None:
        """Refuse, with a `ValueError`, to shrink what is no sum of statistics."""
        if self.shrinkage and rule.increments:
            raise ValueError(
                f"the rule {RULES.name_of(rule)!r} reads votes, which cannot be shrunk: leave shrinkage out"
            )

    def shrinks(self, rule: Rule) -> bool:
        """Whether noisy rows are shrunk before this rule."""
        return rule.shrinks if self.shrinkage is None else self.shrinkage

    def additive(self, rule: Rule, noise: Floats) -> bool:
        """Whether what is added to a row is added to the refined row; shrunk sums are sums no longer."""
        return not (self.shrinks(rule) and (noise > 0).any())

    def refine(self, rows: Rows, noise: Floats, rule: Rule, tied: Collection[Block] = ()) -> Rows:
        """Better rows, rounded to integers.

        Parameters
        ----------
        noise
            Variance of the noise in each column of each row, shape (g, width).
        rule
            What combines them. Where only the sum of the rows matters to it, that is refined, which has more
            to go by.
        tied
            Blocks whose levels add up to the class count whatever the noise, see `tied_blocks`.
        """
        shrinks = self.shrinks(rule)
        if not (noise > 0).any() or not (self.consistency or shrinks):
            return rows
        tables, sizes = rows.tables, rows.sizes
        if rule.pools:
            tables, sizes = tables.sum(axis=0, keepdims=True), sizes.sum(keepdims=True)
            # fsum: the same to the last bit for rows in any order
            noise = np.array([[math.fsum(column) for column in noise.T]])
        refined: Floats = tables.astype(np.float64)
        if self.consistency:
            refined = consistent(rows.schema, refined, noise, tied)
        if shrinks:
            of_counts = noise[..., 0]
            if self.consistency:
                of_counts = noise_of_counts(rows.schema, noise, tied)
            refined = shrunk(rows.schema, refined, noise, of_counts)
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


def tied_blocks(mechanism: Mechanism, schema: Schema) -> tuple[Block, ...]:
    """Blocks that are drawn together with the class count, so that their levels say nothing more about it."""
    joint = mechanism.joint(schema)
    return () if joint is None else tuple(block for block in joint.blocks if block.partition)


def consistent(schema: Schema, table: Floats, noise: Floats, tied: Collection[Block] = ()) -> Floats:
    """The least-squares counts that add up: every feature's levels of a class to the class count.

    The count and each feature's sum of levels all estimate the number of records of the class; weighted
    by their precision they give one estimate, and each feature's levels share the difference to it.

    Parameters
    ----------
    table
        Opened sums, shape (..., C, width).
    noise
        Variance of the noise in each column, shape (..., width); levels of one feature have the same.
    tied
        Blocks whose levels add up to the class count whatever the noise.
    """
    result = np.array(table, dtype=np.float64)
    levels = [block for block in schema.blocks if block.partition]
    if not (noise > 0).any() or not levels:
        return result
    totals = _totals(schema, result, tied)
    weights = 1 / _totals(schema, noise, tied)[..., None, :]
    counts = (totals * weights).sum(axis=-1) / weights.sum(axis=-1)
    result[..., 0] = counts
    for block in levels:
        cells = result[..., block.columns]
        cells += ((counts - cells.sum(axis=-1)) / (block.stop - block.start))[..., None]
    return result


def noise_of_counts(schema: Schema, noise: Floats, tied: Collection[Block] = ()) -> Floats:
    """The variance of the noise in consistent class counts, shape (...), for that of columns (..., width)."""
    spread: Floats = 1 / (1 / _totals(schema, noise, tied)).sum(axis=-1)
    return spread


def _totals(schema: Schema, of: Floats, tied: Collection[Block]) -> Floats:
    """All that counts the records of a class, or its variance: the count, and each feature's levels."""
    levels = [block for block in schema.blocks if block.partition and block not in tied]
    return np.stack([of[..., 0], *(of[..., block.columns].sum(axis=-1) for block in levels)], -1)


def shrunk(schema: Schema, table: Floats, noise: Floats, of_counts: Floats) -> Floats:
    """Class counts pulled towards equal ones, and each feature's sums as its kind says (`Feature.shrunk`).

    Parameters
    ----------
    table, noise
        As for `consistent`.
    of_counts
        Variance of the noise in class counts, shape (...).
    """
    result = np.array(table, dtype=np.float64)
    if not (noise > 0).any():
        return result
    result[..., 0] = class_counts(result[..., 0], of_counts)
    # what a rule will divide by
    counts = np.maximum(np.floor(result[..., 0] + 0.5), 1.0)
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        result[..., columns] = feature.shrunk(result[..., columns], counts, noise[..., columns])
    return result
