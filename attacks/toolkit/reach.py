"""Where malicious rows can carry a model: boxes of parameters, and directions in the space of distances.

Descends on the soft balanced accuracy of the model at a place, not on the rule: what the rule makes of rows
that stand there is tried afterwards (`attacks.toolkit.rehearsal`).
"""

from dataclasses import dataclass

import numpy as np

from attacks.toolkit.adam import Adam, temperature
from attacks.toolkit.descent import Sums, weights_back, weights_of
from attacks.toolkit.judge import Judge
from securenb.bayes.parameters import Floats
from securenb.schema.features.numeric import GRID_VARIANCE

LEAST = 1e-4
"""The least root of a probability."""


@dataclass(frozen=True, eq=False)
class Reach:
    """The game of an attacker that carries the centre of rows somewhere.

    Attributes
    ----------
    judge
        Records of the attacker.
    prior
        Class probabilities of the honest rows, shape (C,), which rules average.
    share
        The share of the rows that are malicious.
    """

    sums: Sums
    judge: Judge
    prior: Floats
    share: float

    def in_box(self, low: Floats, high: Floats, starts: Floats, steps: int) -> tuple[Floats, Floats, Floats]:
        """Places (s, C, width) in boxes that hurt, as parameters; where in the box, and own class shares.

        Parameters
        ----------
        low, high
            Parameters (C, width).
        starts
            Where to begin, as logits, shape (s, C, width).
        """
        free, adam = starts, Adam(starts.shape, 0.2, steps)
        wide = high - low
        for step in range(steps):
            inside = 0.5 * (1 + np.tanh(free / 2))
            parameters, own = self._with_prior(low + wide * inside, free[..., 0])
            weights = weights_of(self.sums, parameters)
            _, slope = self.judge.soft(weights, temperature(step, steps, 3.3))
            by_parameters = weights_back(self.sums, parameters, slope)
            gradient = by_parameters * wide * inside * (1 - inside)
            gradient[..., 0] = self._prior_back(by_parameters[..., 0], own)
            free = adam.moved(free, gradient)
        inside = 0.5 * (1 + np.tanh(free / 2))
        parameters, own = self._with_prior(low + wide * inside, free[..., 0])
        return parameters, inside, own

    def directions(
        self, middle: Floats, scales: Floats, lengths: Floats, starts: Floats, steps: int
    ) -> Floats:
        """Unit steps (s, C, width) from the middle of honest points, in units of `scales`.

        Parameters
        ----------
        middle
            A point (C, width), see `securenb.robust.points`.
        scales
            What a unit of each coordinate is, shape (s, C, width).
        lengths
            How far the model is carried, shape (s,).
        starts
            Directions to begin with, shape (s, C, width).
        """
        free, adam = starts, Adam(starts.shape, 0.05, steps)
        for step in range(steps):
            norm = np.sqrt(np.square(free).sum(axis=(1, 2), keepdims=True))
            unit = free / norm
            carried = lengths[:, None, None] * scales
            points = middle + carried * unit
            parameters, kept = self._at_points(points)
            weights = weights_of(self.sums, parameters)
            _, slope = self.judge.soft(weights, temperature(step, steps, 3.3))
            by_unit = self._points_back(weights_back(self.sums, parameters, slope), points, kept) * carried
            gradient = (by_unit - unit * (by_unit * unit).sum(axis=(1, 2), keepdims=True)) / norm
            free = adam.moved(free, gradient * norm)
            free = free / np.sqrt(np.square(free).mean(axis=(1, 2), keepdims=True))
        result: Floats = free / np.sqrt(np.square(free).sum(axis=(1, 2), keepdims=True))
        return result

    def _with_prior(self, parameters: Floats, logits: Floats) -> tuple[Floats, Floats]:
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        own = powers / powers.sum(axis=-1, keepdims=True)
        parameters[..., 0] = (1 - self.share) * self.prior + self.share * own
        return parameters, own

    def _prior_back(self, gradient: Floats, own: Floats) -> Floats:
        by_own = self.share * gradient
        result: Floats = own * (by_own - (own * by_own).sum(axis=-1, keepdims=True))
        return result

    def _at_points(self, points: Floats) -> tuple[Floats, Floats]:
        """Parameters at points, moved to the nearest ones of a distribution; and kept roots."""
        sums = self.sums
        parameters = np.empty_like(points)
        roots = np.maximum(points, LEAST)
        parameters[..., sums.levels] = roots[..., sums.levels] ** 2
        mean = points[..., sums.first] * sums.steps
        parameters[..., sums.first] = np.clip(mean, -sums.offset, sums.steps - sums.offset)
        variance = (points[..., sums.first + 1] * sums.steps) ** 2
        parameters[..., sums.first + 1] = np.clip(variance, GRID_VARIANCE, sums.steps**2 / 4)
        own = roots[..., 0] ** 2
        parameters[..., 0] = (1 - self.share) * self.prior + self.share * own / own.sum(
            axis=-1, keepdims=True
        )
        for other in sums.others:
            parameters[..., other.columns] = other.feature.parameters_at(points[..., other.columns])
        return parameters, roots

    def _points_back(self, gradient: Floats, points: Floats, roots: Floats) -> Floats:
        sums = self.sums
        result = np.zeros_like(points)
        above = points > LEAST
        result[..., sums.levels] = (gradient * 2 * roots * above)[..., sums.levels]
        mean = points[..., sums.first] * sums.steps
        free = (mean > -sums.offset) & (mean < sums.steps - sums.offset)
        result[..., sums.first] = gradient[..., sums.first] * sums.steps * free
        deviation = points[..., sums.first + 1] * sums.steps
        free = (deviation**2 > GRID_VARIANCE) & (deviation**2 < sums.steps**2 / 4)
        result[..., sums.first + 1] = gradient[..., sums.first + 1] * 2 * deviation * sums.steps * free
        own = roots[..., 0] ** 2
        total = own.sum(axis=-1, keepdims=True)
        by_own = self.share * gradient[..., 0]
        by_own = (by_own - (by_own * own).sum(axis=-1, keepdims=True) / total) / total
        result[..., 0] = by_own * 2 * roots[..., 0] * above[..., 0]
        return result
