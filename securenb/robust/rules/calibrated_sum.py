"""A verified sum whose features are believed as far as a few public records bear them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np
from scipy.optimize import minimize

from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.robust.rule import Rows, Rule
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

TRUST = 0.5
"""What weights are drawn to, those of the sum's features and that of the public records' own model."""
PULL = 0.3
"""How strongly weights of features are drawn there, in log-losses of a record for a distance of one."""
FLOOR = 1e-3
"""The smallest weight: a feature that misleads is left out, not turned round."""


@dataclass(frozen=True, eq=False)
class CalibratedSum(Rule):
    """Naive Bayes with a weight for each feature, learned from public records; classes are equally probable.

    The log-odds are the sum over features of weight × evidence of the verified sum, plus weight × evidence
    of the model of the public records alone, plus an offset for each class: a logistic regression on the
    public records, each class counted alike, with the own model's evidence leaving out the record in
    question. So evidence that records within the cap have spoilt counts for little. Nothing here stops a
    backdoor of values that the public records lack.

    Parameters
    ----------
    reference
        Public records of every class, never used for testing.
    """

    reference: Records | None = None

    pools: ClassVar[bool] = True
    capped: ClassVar[bool] = True

    @classmethod
    def for_tests(cls, reference: Records) -> Self:
        """See `Rule.for_tests`."""
        return cls(reference=reference)

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`."""
        return 0

    def _combine(self, rows: Rows) -> Parameters:
        schema, reference = rows.schema, self.reference
        if reference is None:
            raise ValueError("the rule 'calibrated_sum' needs a reference: some public records")
        if len(np.unique(reference.labels)) < len(schema.classes):
            raise ValueError("the reference of 'calibrated_sum' has no record of some class")
        pooled = estimate(schema, rows.tables.sum(axis=0), self.smoothing)
        own = Statistics.of(schema, reference).table
        evidence = np.concatenate(
            [
                _by_feature(schema, pooled.table, reference),
                _left_out(schema, reference, self.smoothing)[:, None],
            ],
            axis=1,
        )
        weights, offsets = _fitted(evidence, reference, len(schema.classes))
        tables = [pooled.table, estimate(schema, own, self.smoothing).table]
        powers = [weights[:-1], np.full(len(schema.features), weights[-1])]
        return Parameters(schema, _product(schema, tables, powers, offsets), pooled.defined)


def _by_feature(schema: Schema, table: Floats, records: Records) -> Floats:
    """The log density that each feature has for each record under each class, shape (n, F, C)."""
    found = np.empty((len(records), len(schema.features), len(schema.classes)))
    for at, (feature, columns) in enumerate(zip(schema.features, schema.columns, strict=True)):
        found[:, at] = feature.log_density(table[:, columns], records.codes[:, at, None])
    return found


@lru_cache(maxsize=8)
def _left_out(schema: Schema, records: Records, smoothing: float) -> Floats:
    """What the model of all other records says of each record, shape (n, C)."""
    own = Statistics.of(schema, records).table
    found = np.empty((len(records), len(schema.classes)))
    for index in range(len(records)):
        one = records[index : index + 1]
        table = estimate(schema, own - Statistics.of(schema, one).table, smoothing).table
        found[index] = _by_feature(schema, table, one)[0].sum(axis=0)
    return found


def _fitted(evidence: Floats, records: Records, classes: int) -> tuple[Floats, Floats]:
    """Weights of the evidence (n, K, C), shape (K,), and offsets of classes."""
    n, kinds, _ = evidence.shape
    truth = np.eye(classes)[records.labels]
    each = (n / classes / truth.sum(axis=0))[records.labels]
    pull = np.append(np.full(kinds - 1, PULL), 1.0)

    def loss(at: Floats) -> tuple[float, Floats]:
        weights, offsets = at[:kinds], at[kinds:]
        scores = np.einsum("nkc,k->nc", evidence, weights) + offsets
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        wrong = each[:, None] * (np.exp(logs) - truth)
        far = weights - TRUST
        value = -(each * (logs * truth).sum(axis=1)).sum() + (pull * far**2).sum() + 0.1 * (offsets**2).sum()
        slope = np.einsum("nc,nkc->k", wrong, evidence) + 2 * pull * far
        return float(value), np.append(slope, wrong.sum(axis=0) + 0.2 * offsets)

    start = np.append(np.full(kinds, TRUST), np.zeros(classes))
    bounds = [(FLOOR, 3.0)] * kinds + [(-20.0, 20.0)] * classes
    at = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60}).x
    return at[:kinds], at[kinds:]


def _product(schema: Schema, tables: Sequence[Floats], powers: Sequence[Floats], offsets: Floats) -> Floats:
    """The table of the model whose densities are products of powers of those of the tables.

    Products of Gaussians are Gaussians up to a factor, which the class probability takes.
    """
    result, logs = np.empty_like(tables[0]), offsets.copy()
    for at, (feature, columns) in enumerate(zip(schema.features, schema.columns, strict=True)):
        parts, weights = [table[:, columns] for table in tables], [power[at] for power in powers]
        result[:, columns], mass = feature.product(parts, weights)
        logs = logs + mass
    joint = np.exp(logs - logs.max())
    result[:, 0] = np.maximum(joint / joint.sum(), 1e-300)
    return result
