"""Algorithm 3: the model follows nodes that join one after the other, by the appendix's formulas.

The aggregator keeps counts, means and variances instead of sums, and merges what the next node sends into
them. In exact arithmetic that is Algorithm 2 on all nodes so far; with floats the order of nodes shows in
the last digits (a test bounds it by 1e-9). The main product keeps integer sums instead, where every order
and batching gives the same bits: `securenb.federation.federation.Federation.update`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats
from securenb.paper.aggregate import parameters
from securenb.paper.release import sum_columns
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class OnlineModel:
    """What the aggregator keeps of the nodes so far.

    Attributes
    ----------
    schema
        Says what each column means.
    table
        Shape (C, width): class and level counts; mean in place of the sum, and mean of squares minus the
        squared mean, unclamped, in place of the sum of squares.
    """

    schema: Schema
    table: Floats

    @classmethod
    def start(cls, schema: Schema, first: Floats) -> "OnlineModel":
        """The model of the first node's table."""
        return cls(schema, np.zeros_like(first)).update(first)

    def update(self, node: Floats) -> "OnlineModel":
        """The model after one more node, or after a batch of them whose tables were added up.

        With n records so far, mean μ and variance v of a class, and a node's n', s, q:
        μ⁺ = (n μ + s) / (n + n'), and v⁺ = (n (v + μ²) + q) / (n + n') - (μ⁺)².
        """
        old = self.table
        sums = sum_columns(self.schema)
        table = old + node
        before = old[:, [0]]
        # a class without records so far has sums of zero: any divisor will do
        after = np.where(table[:, [0]] == 0, 1.0, table[:, [0]])
        mean = (before * old[:, sums] + node[:, sums]) / after
        squares = before * (old[:, sums + 1] + old[:, sums] ** 2) + node[:, sums + 1]
        table[:, sums] = mean
        table[:, sums + 1] = squares / after - mean**2
        return OnlineModel(self.schema, table)

    def parameters(self) -> Floats:
        """As `securenb.paper.aggregate.aggregate` on all nodes so far would have them, shape (C, width)."""
        totals = self.table.copy()
        sums = sum_columns(self.schema)
        counts = totals[:, [0]]
        totals[:, sums + 1] = counts * (totals[:, sums + 1] + totals[:, sums] ** 2)
        totals[:, sums] *= counts
        return parameters(self.schema, totals)


def follow(schema: Schema, batches: Iterable[Floats]) -> OnlineModel:
    """The model after all batches, each the sum of its nodes' tables."""
    remaining = iter(batches)
    model = OnlineModel.start(schema, next(remaining))
    for batch in remaining:
        model = model.update(batch)
    return model
