"""What a few public records alone are worth: no row is looked at."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self

import numpy as np
from scipy.optimize import minimize

from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.robust.rule import Rows, Rule
from securenb.schema.feature import Feature
from securenb.schema.features.numeric import Numeric
from securenb.schema.levelled import Levelled
from securenb.schema.records import Records
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics

FARTHEST = 50.0
"""Log-odds that a model may give; beyond it a probability would be zero."""


@dataclass(frozen=True, eq=False)
class PublicRecords(Rule):
    """A model of public records: the baseline that a federation must beat. The rows are ignored.

    So nothing that nodes send can harm it. With as many records as a node holds it is what one node can do
    alone.

    Parameters
    ----------
    reference
        Public records of every class, never used for testing.
    learner
        `logistic`: logistic regression, each class counted alike, numbers in quarters of their range; written
        as the Naive Bayes model with the same log-odds. `naive_bayes`: the estimate of their counts, better
        where records are few for the number of levels, worse where features repeat one another.
    penalty
        Of the logistic regression: half of it times the squared weights; positive.
    """

    reference: Records | None = None
    learner: Literal["logistic", "naive_bayes"] = "logistic"
    penalty: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learner not in ("logistic", "naive_bayes"):
            raise ValueError(f"the learner is logistic or naive_bayes, got {self.learner!r}")
        if not 0 < self.penalty < float("inf"):
            raise ValueError(f"the penalty is positive and finite, got {self.penalty}")

    @classmethod
    def for_tests(cls, reference: Records) -> Self:
        """See `Rule.for_tests`."""
        return cls(reference=reference)

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`: all but one, as none is looked at."""
        return rows - 1

    def _combine(self, rows: Rows) -> Parameters:
        schema, reference = rows.schema, self.reference
        if reference is None:
            raise ValueError("the rule 'public_records' needs a reference: some public records")
        if len(np.unique(reference.labels)) < len(schema.classes):
            raise ValueError("the reference of 'public_records' has no record of some class")
        if self.learner == "naive_bayes":
            return estimate(schema, Statistics.of(schema, reference).table, self.smoothing)
        table = _written(schema, _fitted(schema, reference, self.penalty))
        return Parameters(schema, table, np.ones(table.shape, dtype=np.bool_))


def _columns(feature: Feature) -> int:
    """How many weights a feature has in each class."""
    if isinstance(feature, Levelled):
        return feature.size
    if isinstance(feature, Numeric):
        return 1
    raise ValueError(
        f"feature {feature.name!r} is of the kind {feature.kind!r}: the rule 'public_records' takes levels "
        "and numbers"
    )


def _design(schema: Schema, records: Records) -> Floats:
    """An indicator a level, a number in quarters of its range around the middle, and one; shape (n, k)."""
    parts = []
    for feature, codes in zip(schema.features, records.codes.T, strict=True):
        if _columns(feature) > 1:
            parts.append((codes[:, None] == np.arange(feature.size)).astype(np.float64))
        else:
            assert isinstance(feature, Numeric)
            # an unknown value counts as the middle
            parts.append(np.where(codes < 0, 0.0, 4 * (codes - feature.offset) / feature.steps)[:, None])
    return np.concatenate([*parts, np.ones((len(records), 1))], axis=1)


@lru_cache(maxsize=32)
def _fitted(schema: Schema, records: Records, penalty: float) -> Floats:
    """Weights of the design, shape (C, k): the last are offsets, which are not penalised."""
    design, classes = _design(schema, records), len(schema.classes)
    truth = np.eye(classes)[records.labels]
    each = (len(records) / classes / truth.sum(axis=0))[records.labels]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(classes, -1)
        scores = design @ weights.T
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        pulled = np.append(weights[:, :-1], np.zeros((classes, 1)), axis=1)
        slope = (each[:, None] * (np.exp(logs) - truth)).T @ design + penalty * pulled
        value = -(each * (logs * truth).sum(axis=1)).sum() + penalty / 2 * (pulled**2).sum()
        return float(value), slope.reshape(-1)

    start = np.zeros(classes * design.shape[1])
    found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return np.clip(found, -FARTHEST, FARTHEST).reshape(classes, -1)


def _written(schema: Schema, weights: Floats) -> Floats:
    """Parameters of the Naive Bayes model whose log-odds are linear with these weights, shape (C, width)."""
    table = np.empty((len(schema.classes), schema.width))
    logs, at = weights[:, -1].copy(), 0
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        own = weights[:, at : at + _columns(feature)]
        at += own.shape[1]
        if isinstance(feature, Levelled):
            mass = np.exp(own).sum(axis=1)
            table[:, columns] = np.exp(own) / mass[:, None]
            logs += np.log(mass)
        else:
            assert isinstance(feature, Numeric)
            # Gaussians of one variance differ by a line: its slope is mean / variance
            variance = feature.steps**2 / 4.0
            mean = variance * 4 * own[:, 0] / feature.steps
            table[:, columns] = np.stack([mean, np.full(len(mean), variance)], axis=1)
            logs += mean**2 / (2 * variance)
    joint = np.exp(logs - logs.max())
    table[:, 0] = np.maximum(joint / joint.sum(), 1e-300)
    return table
