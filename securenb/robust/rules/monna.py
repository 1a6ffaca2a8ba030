"""MoNNA: the mean of the rows nearest to one that is trusted, here that of public records."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from securenb.bayes.parameters import Floats, Parameters
from securenb.robust.centre_rule import local_parameters, with_average_classes
from securenb.robust.points import check_bound, checked, stabilised, unstabilised
from securenb.robust.rule import RULES, Rows, Rule
from securenb.schema.records import Records
from securenb.schema.statistics import Statistics


def nearest_to(pivot: Floats, points: Floats, malicious: int) -> Floats:
    """Mean of the n - f rows nearest to a trusted point, shape (d,); of equal distances the first.

    Farhadkhani, Guerraoui, Gupta, Hoang, Pinot and Stephan 2023, "Robust Collaborative Learning with Linear
    Gradient Overhead", section 3: there the trusted point is a node's own.
    """
    n = len(checked(points, malicious, (len(points) - 1) // 2))
    distances = np.square(points - pivot).sum(axis=1)
    kept = np.argsort(distances, kind="stable")[: n - malicious]
    return np.asarray(points[np.sort(kept)].mean(axis=0))


@dataclass(frozen=True, eq=False)
class MoNNA(Rule):
    """The average of the n - f rows nearest to the public records' own; needs n > 2f.

    A malicious row that is kept is no farther from the public row than the farthest honest one, R: all of
    them move the mean by at most 2·R·f / (n - f). The public row says which rows are near, and is not
    averaged. Points are those of `securenb.robust.points`, with what a row does not define imputed; class
    probabilities are averaged.

    Parameters
    ----------
    reference
        Public records of every class, never used for testing.
    """

    reference: Records | None = None

    @classmethod
    def for_tests(cls, reference: Records) -> Self:
        """See `Rule.for_tests`."""
        return cls(reference=reference)

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`."""
        return (rows - 1) // 2

    def tolerated(self, rows: Rows) -> int:
        """See `Rule.tolerated`: what is imputed is a median of the rows that define a cell."""
        return (int(local_parameters(rows, self.smoothing).defined.sum(axis=0).min()) - 1) // 2

    def _combine(self, rows: Rows) -> Parameters:
        schema = rows.schema
        if self.reference is None:
            raise ValueError("the rule 'monna' needs a reference: some public records")
        if len(np.unique(self.reference.labels)) < len(schema.classes):
            raise ValueError("the reference of 'monna' has no record of some class")
        local = local_parameters(rows, self.smoothing)
        fewest = int(local.defined.sum(axis=0).min())
        check_bound(
            fewest, self.malicious, (fewest - 1) // 2, f"the rule {RULES.name_of(self)!r}, in some cell,"
        )
        table = Statistics.of(schema, self.reference).table
        public = replace(rows, tables=table[None], sizes=np.ones(1, dtype=np.int64))
        pivot = stabilised(local_parameters(public, self.smoothing)).values[0]
        centre = nearest_to(pivot, stabilised(local).imputed(), self.malicious)
        return with_average_classes(unstabilised(schema, centre), local)
