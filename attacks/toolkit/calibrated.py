"""The gradient through `calibrated_sum`: through Naive Bayes, and through the weights that are fitted to it.

The weights are where the gradient of a convex loss vanishes, so they move with the evidence as the implicit
function theorem says: no iteration is taken apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attacks.toolkit.descent import Sums, Weighed, back, weighed
from attacks.toolkit.judge import Judge
from securenb.bayes.parameters import Floats
from securenb.robust.rules.calibrated_sum import FLOOR, PULL, TRUST, CalibratedSum, _left_out
from securenb.schema.statistics import Statistics

MOST = 3.0
"""The largest weight."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Weights of features and of the public records' model, and offsets of classes, in one vector (K,)."""

    at: Floats
    hessian: Floats
    free: NDArray[np.bool_]
    shares: Floats


class Calibration:
    """The loss that `calibrated_sum` fits its weights by, on its public records (n,)."""

    def __init__(self, sums: Sums, rule: CalibratedSum) -> None:
        schema, reference = sums.schema, rule.reference
        if reference is None:
            raise ValueError("the rule 'calibrated_sum' needs a reference: some public records")
        if sums.others:
            raise ValueError(
                f"feature {sums.others[0].feature.name!r} is of the kind {sums.others[0].feature.kind!r}: "
                "no gradient goes through the product of its densities"
            )
        self.sums, self.smoothing = sums, rule.smoothing
        self._classes, self._features = len(schema.classes), len(schema.features)
        self._starts = np.array([columns.start for columns in schema.columns])
        self._widths = np.array([columns.stop - columns.start for columns in schema.columns])
        self._gaussian = np.isin(self._starts, sums.first)
        self._design = sums.design(reference)
        self._truth = np.eye(self._classes)[reference.labels]
        self._each = (len(reference) / self._classes / self._truth.sum(axis=0))[reference.labels]
        self._own = _left_out(schema, reference, rule.smoothing)
        own = weighed(sums, Statistics.of(schema, reference).table[None].astype(np.float64), rule.smoothing)
        self._own_weights = own.weights[0].copy()
        self._own_weights[:, 0] = self.constants(own)[0].sum(axis=-1)

    def constants(self, found: Weighed) -> Floats:
        """What each Gaussian feature adds to the constant, (s, C, g)."""
        first = self.sums.first
        mean, variance = found.parameters[..., first], found.parameters[..., first + 1]
        result: Floats = -0.5 * (mean**2 / variance + np.log(variance))
        return result

    def evidence(self, found: Weighed) -> Floats:
        """What each feature of the sum, and the own model, say of each public record, (n, F + 1, C)."""
        product = self._design[:, None, :] * found.weights[0]
        parts = np.add.reduceat(product, self._starts, axis=-1)
        parts[..., self._gaussian] += self.constants(found)[0]
        each: Floats = np.concatenate([parts.transpose(0, 2, 1), self._own[:, None]], axis=1)
        return each

    def fitted(self, evidence: Floats, start: Floats, steps: int) -> Fit:
        """Weights by projected Newton steps."""
        kinds = self._features + 1
        at, pull = start.copy(), np.append(np.full(kinds - 1, PULL), 1.0)
        low = np.append(np.full(kinds, FLOOR), np.full(self._classes, -20.0))
        high = np.append(np.full(kinds, MOST), np.full(self._classes, 20.0))
        ridge = np.append(2 * pull, np.full(self._classes, 0.2))
        inputs = self._inputs(evidence)
        away = np.append(np.full(kinds, TRUST), np.zeros(self._classes))
        loss, shares = self._loss(inputs, at, ridge, away)
        for step in range(steps + 1):
            wrong = self._each[:, None] * (shares - self._truth)
            slope = np.einsum("nc,nck->k", wrong, inputs) + ridge * (at - away)
            mean = np.einsum("nc,nck->nk", shares, inputs)
            weighted = (self._each[:, None] * shares)[..., None] * inputs
            hessian = np.tensordot(weighted, inputs, axes=([0, 1], [0, 1]))
            hessian -= (self._each[:, None] * mean).T @ mean
            hessian += np.diag(ridge)
            free = ~(((at <= low) & (slope > 0)) | ((at >= high) & (slope < 0)))
            if step == steps:
                break
            move = np.zeros_like(at)
            move[free] = np.linalg.solve(hessian[np.ix_(free, free)], slope[free])
            for part in (1.0, 0.5, 0.25, 0.1, 0.03, 0.01):
                near = np.clip(at - part * move, low, high)
                less, closer = self._loss(inputs, near, ridge, away)
                if less < loss:
                    at, loss, shares = near, less, closer
                    break
        return Fit(at, hessian, free, shares)

    def _loss(self, inputs: Floats, at: Floats, ridge: Floats, away: Floats) -> tuple[float, Floats]:
        """The fit's loss, and the class probabilities of the public records, (n, C)."""
        scores = inputs @ at
        scores -= scores.max(axis=1, keepdims=True)
        totals = np.exp(scores).sum(axis=1, keepdims=True)
        logs = scores - np.log(totals)
        value = (
            -(self._each * (logs * self._truth).sum(axis=1)).sum() + 0.5 * (ridge * (at - away) ** 2).sum()
        )
        return float(value), np.exp(logs)

    def _inputs(self, evidence: Floats) -> Floats:
        """What the fitted vector is multiplied by, (n, C, K)."""
        offsets = np.broadcast_to(np.eye(self._classes), (len(evidence), self._classes, self._classes))
        return np.concatenate([evidence.transpose(0, 2, 1), offsets], axis=-1)

    def start(self) -> Floats:
        """Where the rule's own fit begins."""
        return np.append(np.full(self._features + 1, TRUST), np.zeros(self._classes))

    def model(self, found: Weighed, fit: Fit) -> Floats:
        """Weights of the calibrated model, (1, C, size)."""
        weights, kinds = fit.at[: self._features], self._features
        result = found.weights[0] * self._per_column(weights)
        result[:, 0] = self.constants(found)[0] @ weights[self._gaussian] + fit.at[kinds + 1 :]
        result = result + fit.at[kinds] * self._own_weights
        models: Floats = result[None]
        return models

    def _per_column(self, each: Floats) -> Floats:
        return np.concatenate(
            [np.zeros((*each.shape[:-1], 1)), np.repeat(each, self._widths, axis=-1)], axis=-1
        )

    def descent(
        self, judge: Judge, total: Floats, start: Floats, heat: float, steps: int = 2
    ) -> tuple[float, Floats, Fit]:
        """Hard accuracy of the model of a sum (C, width), the gradient by the sum, and the weights fitted."""
        found = weighed(self.sums, total[None], self.smoothing)
        evidence = self.evidence(found)
        fit = self.fitted(evidence, start, steps)
        model = self.model(found, fit)
        _, slope = judge.soft(model, heat)
        by_model, constants, kinds = slope[0], self.constants(found)[0], self._features
        weights = fit.at[:kinds]
        parts = np.add.reduceat(by_model * found.weights[0], self._starts, axis=-1)
        parts[:, self._gaussian] += by_model[:, :1] * constants
        by_fit = np.concatenate([parts.sum(axis=0), [(by_model * self._own_weights).sum()], by_model[:, 0]])
        moved = np.zeros_like(by_fit)
        free = fit.free
        moved[free] = np.linalg.solve(fit.hessian[np.ix_(free, free)], by_fit[free])
        score = self._inputs(evidence) @ moved
        inner = fit.shares * (score - (fit.shares * score).sum(axis=1, keepdims=True))
        wrong = self._each[:, None] * (fit.shares - self._truth)
        # by evidence, (n, C, F)
        by_evidence = -(wrong[..., None] * moved[:kinds] + (self._each[:, None] * inner)[..., None] * weights)
        by_weights = by_model * self._per_column(weights)
        spread = np.einsum("ncf,nw->cfw", by_evidence, self._design)
        for at, (begin, width) in enumerate(zip(self._starts, self._widths, strict=True)):
            by_weights[:, begin : begin + width] += spread[:, at, begin : begin + width]
        by_weights[:, 0] = 0.0
        by_constants = by_model[:, :1] * weights[self._gaussian]
        by_constants = by_constants + by_evidence.sum(axis=0)[:, self._gaussian]
        by_total = back(self.sums, total[None], found, by_weights[None], self.smoothing, by_constants[None])
        return float(judge.hard(model)[0]), by_total[0], fit
