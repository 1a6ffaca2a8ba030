"""Balanced accuracy on an attacker's records, hard, and soft with its gradient."""

import numpy as np
from numpy.typing import NDArray

from attacks.toolkit.descent import Sums
from securenb.bayes.parameters import Floats
from securenb.schema.records import Records


class Judge:
    """Balanced accuracy of models on an attacker's records, hard or soft.

    Parameters
    ----------
    records
        At least one of each class that is to count.
    """

    def __init__(self, sums: Sums, records: Records) -> None:
        self._design = sums.design(records)
        self._transposed = np.ascontiguousarray(self._design.T)
        self._labels = records.labels.astype(np.intp)
        present = np.bincount(self._labels, minlength=len(sums.schema.classes))
        # of two classes one is the other's only rival: a third of the time, to the same bit
        self._sign = np.where(self._labels == 0, 1.0, -1.0) if len(present) == 2 else None
        self._shares = 1.0 / present[self._labels] / (present > 0).sum()

    def hard(self, weights: Floats) -> Floats:
        """Balanced accuracy of models of weights (s, C, size), shape (s,); ties are wrong."""
        right: Floats = ((self._margins(weights)[0] > 0) * self._shares).sum(axis=-1)
        return right

    def soft(self, weights: Floats, temperature: float) -> tuple[Floats, Floats]:
        """A smooth balanced accuracy, shape (s,), and its gradient by the weights, (s, C, size)."""
        margins, rivals = self._margins(weights)
        right = 0.5 * (1 + np.tanh(margins / (2 * temperature)))
        slope = self._shares * right * (1 - right) / temperature
        if self._sign is not None:
            of_first = (slope * self._sign) @ self._design
            return (right * self._shares).sum(axis=-1), np.stack([of_first, -of_first], axis=1)
        by_score = -slope[:, None] * rivals
        np.put_along_axis(by_score, self._at(by_score), slope[:, None], axis=1)
        gradient: Floats = by_score @ self._design
        return (right * self._shares).sum(axis=-1), gradient

    def _margins(self, weights: Floats) -> tuple[Floats, Floats]:
        """How far the true class is ahead, (s, n), and the weights of the others where they are several."""
        scores = weights @ self._transposed
        if self._sign is not None:
            return self._sign * (scores[:, 0] - scores[:, 1]), scores
        at = self._at(scores)
        true = np.take_along_axis(scores, at, axis=1)[:, 0]
        np.put_along_axis(scores, at, -np.inf, axis=1)
        most = scores.max(axis=1, keepdims=True)
        powers = np.exp(scores - most)
        totals = powers.sum(axis=1, keepdims=True)
        return true - (most + np.log(totals))[:, 0], powers / totals

    def _at(self, scores: Floats) -> NDArray[np.intp]:
        """Where the true classes' scores are among scores (s, C, n), for numpy's `take_along_axis`."""
        return np.broadcast_to(self._labels, (len(scores), 1, len(self._labels)))
