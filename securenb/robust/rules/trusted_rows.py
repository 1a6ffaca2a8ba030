"""Trusted rows: a small public set of records tells which rows make good models."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.robust.centre_rule import local_parameters
from securenb.robust.rule import Rows, Rule
from securenb.schema.records import Records


def scores(rows: Rows, reference: Records, smoothing: float) -> Floats:
    """How well each row's own model predicts the reference, shape (n,), between 0 and 1.

    The probability that the model gives to the true class, averaged over the records of a class, then
    over the classes present: bounded, so that no record decides alone, and finer than accuracy.
    """
    local = local_parameters(rows, smoothing)
    present = np.unique(reference.labels)
    found = np.empty(len(rows.sizes))
    for index in range(len(found)):
        model = NaiveBayes(Parameters(rows.schema, local.table[index], local.defined[index]))
        joint = model.log_joint(reference.codes)
        likelihood = np.exp(joint - joint.max(axis=1, keepdims=True))
        truth = likelihood[np.arange(len(reference)), reference.labels] / likelihood.sum(axis=1)
        found[index] = np.mean([truth[reference.labels == c].mean() for c in present])
    return found


@dataclass(frozen=True, eq=False)
class TrustedRows(Rule):
    """Sums the better half of the rows, judged on public records.

    It is the only rule that can do with a malicious majority among what it drops, and it stops nothing
    that the reference does not show: a backdoor passes. A kept row counts with at most the records of
    the median kept row, so that a plausible row cannot outvote the others by size.

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
        """See `Rule.tolerance`: as many as are dropped."""
        return rows // 2

    def _combine(self, rows: Rows) -> Parameters:
        if self.reference is None:
            raise ValueError("the rule 'trusted_rows' needs a reference: some public records")
        if len(np.unique(self.reference.labels)) < len(rows.schema.classes):
            raise ValueError("the reference of 'trusted_rows' has no record of some class")
        order = np.argsort(-scores(rows, self.reference, self.smoothing), kind="stable")
        kept = rows.tables[np.sort(order[: len(order) - len(order) // 2])].astype(np.float64)
        records = np.maximum(kept[..., 0].sum(axis=1), 0.0)
        limit = np.median(records)
        weights = np.where(records > limit, limit / np.maximum(records, 1.0), 1.0)
        return estimate(rows.schema, np.einsum("n,ncw->cw", weights, kept), self.smoothing)
