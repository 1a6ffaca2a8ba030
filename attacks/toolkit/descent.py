"""The gradient of soft balanced accuracy through Naive Bayes, in closed form, for many tables at once.

A model of sums is linear in the log-odds: weights on [1, one indicator a level, x, x²]. Everything between a
table of sums and the margin of a record is smooth but for the clips of the estimate, whose gradient is zero.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.schema.features.numeric import GRID_VARIANCE, Numeric
from securenb.schema.levelled import Levelled
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of a schema, as arrays of columns.

    Attributes
    ----------
    levels
        Columns of all levels, shape (k,).
    starts
        Where in `levels` each feature begins, and `lengths`, how many it has.
    first
        The column of each numeric feature's sum, shape (g,); its sum of squares stands next to it.
    steps, offset, square
        Of those features, shape (g,): grid points, and what is subtracted from sums and squares.
    """

    schema: Schema
    levels: NDArray[np.intp]
    starts: NDArray[np.intp]
    lengths: NDArray[np.intp]
    first: NDArray[np.intp]
    steps: Floats
    offset: Floats
    square: Floats

    @classmethod
    def of(cls, schema: Schema) -> "Sums":
        """The columns of a schema; `ValueError` for a kind of feature that it cannot go through."""
        for feature in schema.features:
            if not isinstance(feature, Numeric | Levelled):
                raise ValueError(  # noqa: TRY004 - a schema that does not fit, not a wrong type
                    f"feature {feature.name!r} is of the kind {feature.kind!r}: no gradient goes through it"
                )
        levels = [block for block in schema.blocks if block.partition]
        numeric = [schema.columns[at] for at, feature in enumerate(schema.features) if not feature.partition]
        lengths = np.array([block.stop - block.start for block in levels], dtype=np.intp)
        figures = [(f.steps, f.offset, f.square_offset) for f in schema.features if isinstance(f, Numeric)]
        steps, offset, square = np.array(figures, dtype=np.float64).reshape(-1, 3).T
        return cls(
            schema,
            np.array([c for block in levels for c in range(block.start, block.stop)], dtype=np.intp),
            np.cumsum([0, *lengths[:-1]], dtype=np.intp) if len(lengths) else lengths,
            lengths,
            np.array([columns.start for columns in numeric], dtype=np.intp),
            steps,
            offset,
            square,
        )

    def per_feature(self, cells: Floats) -> Floats:
        """The sum over each feature's levels, given to every level of it, (..., k) in and out."""
        if not len(self.levels):
            return cells
        return np.repeat(np.add.reduceat(cells, self.starts, axis=-1), self.lengths, axis=-1)

    def design(self, records: Records) -> Floats:
        """What each record multiplies the weights by, shape (n, width)."""
        result = np.zeros((len(records), self.schema.width))
        result[:, 0] = 1.0
        rows = np.arange(len(records))
        for feature, columns, column in zip(
            self.schema.features, self.schema.columns, records.codes.T, strict=True
        ):
            known = column != UNKNOWN
            if isinstance(feature, Numeric):
                value = np.where(known, column - float(feature.offset), 0.0)
                result[:, columns.start], result[:, columns.start + 1] = value, value**2
            else:
                result[rows[known], columns.start + column[known]] = 1.0
        return result


@dataclass(frozen=True, eq=False)
class Weighed:
    """Tables of sums (s, C, width) as weights, and what the way back needs."""

    weights: Floats
    counts: Floats
    cells: Floats
    mean: Floats
    variance: Floats
    moved_mean: NDArray[np.bool_]
    moved_variance: NDArray[np.bool_]


def weighed(sums: Sums, tables: Floats, smoothing: float) -> Weighed:
    """Weights of the model that is estimated from each table, see `securenb.bayes.parameters.estimate`."""
    counts = np.maximum(tables[..., 0], 0.0)
    cells = np.maximum(tables[..., sums.levels], 0.0) + smoothing
    safe = np.maximum(counts, 1.0)[..., None]
    raw_mean = tables[..., sums.first] / safe
    mean = np.clip(raw_mean, -sums.offset, sums.steps - sums.offset)
    raw_variance = tables[..., sums.first + 1] / safe + sums.square - mean**2
    variance = np.clip(raw_variance, GRID_VARIANCE, sums.steps**2 / 4)
    weights = np.zeros_like(tables)
    weights[..., sums.levels] = np.log(cells) - np.log(sums.per_feature(cells))
    weights[..., sums.first] = mean / variance
    weights[..., sums.first + 1] = -0.5 / variance
    prior = counts + smoothing
    weights[..., 0] = np.log(prior) - np.log(prior.sum(axis=-1, keepdims=True))
    weights[..., 0] -= 0.5 * (mean**2 / variance + np.log(variance)).sum(axis=-1)
    return Weighed(weights, counts, cells, mean, variance, mean == raw_mean, variance == raw_variance)


def back(sums: Sums, tables: Floats, found: Weighed, gradient: Floats, smoothing: float) -> Floats:
    """The gradient by tables, from that by weights; both of the shape of `tables`."""
    result = np.zeros_like(tables)
    by_cells = gradient[..., sums.levels]
    total = sums.per_feature(found.cells)
    by_cells = by_cells / found.cells - sums.per_feature(by_cells) / total
    result[..., sums.levels] = by_cells * (tables[..., sums.levels] > 0)
    prior = found.counts + smoothing
    constant = gradient[..., :1]
    by_count = gradient[..., 0] / prior
    by_count -= gradient[..., 0].sum(axis=-1, keepdims=True) / prior.sum(axis=-1, keepdims=True)
    mean, variance = found.mean, found.variance
    by_sum, by_square = gradient[..., sums.first], gradient[..., sums.first + 1]
    by_variance = -by_sum * mean / variance**2 + 0.5 * by_square / variance**2
    by_variance += constant * 0.5 * (mean**2 / variance - 1.0) / variance
    by_variance *= found.moved_variance
    by_mean = by_sum / variance - constant * mean / variance - 2 * mean * by_variance
    by_mean *= found.moved_mean
    safe = np.maximum(found.counts, 1.0)[..., None]
    result[..., sums.first] = by_mean / safe
    result[..., sums.first + 1] = by_variance / safe
    means, squares = tables[..., sums.first] / safe, tables[..., sums.first + 1] / safe
    more = -(by_mean * means + by_variance * squares).sum(axis=-1) / safe[..., 0]
    result[..., 0] = (by_count + more * (found.counts > 1)) * (tables[..., 0] > 0)
    return result


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
        self._shares = 1.0 / present[self._labels] / (present > 0).sum()

    def hard(self, weights: Floats) -> Floats:
        """Balanced accuracy of models (s, C, width), shape (s,); ties are wrong."""
        right: Floats = ((self._margins(weights)[0] > 0) * self._shares).sum(axis=-1)
        return right

    def soft(self, weights: Floats, temperature: float) -> tuple[Floats, Floats]:
        """A smooth balanced accuracy, shape (s,), and its gradient by the weights, (s, C, width)."""
        margins, rivals = self._margins(weights)
        right = 0.5 * (1 + np.tanh(margins / (2 * temperature)))
        slope = self._shares * right * (1 - right) / temperature
        by_score = -slope[:, None] * rivals
        np.put_along_axis(by_score, self._at(by_score), slope[:, None], axis=1)
        gradient: Floats = by_score @ self._design
        return (right * self._shares).sum(axis=-1), gradient

    def _margins(self, weights: Floats) -> tuple[Floats, Floats]:
        """How far the true class is ahead of the others, (s, n), and the weight of each other, (s, C, n)."""
        scores = weights @ self._transposed
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
