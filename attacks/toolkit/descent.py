"""The gradient of soft balanced accuracy through Naive Bayes, in closed form, for many tables at once.

A model of sums is linear in the log-odds: weights on [1, one indicator a level, x, x²]. Everything between a
table of sums and the margin of a record is smooth but for the clips of the estimate, whose gradient is zero.
Kinds of features that are neither levels nor Gaussians get an indicator a code, and central differences.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats
from securenb.schema.feature import Feature
from securenb.schema.features.numeric import GRID_VARIANCE, Numeric
from securenb.schema.levelled import Levelled
from securenb.schema.records import UNKNOWN, Records
from securenb.schema.schema import Schema


@dataclass(frozen=True)
class OtherKind:
    """A feature that is neither levels nor a Gaussian.

    Attributes
    ----------
    columns
        Of the table.
    extra
        Its weights, one a code, behind those that stand where the table's columns do.
    """

    feature: Feature
    columns: slice
    extra: slice

    @property
    def codes(self) -> NDArray[np.int32]:
        """Every code, shape (k,)."""
        return np.arange(self.feature.size, dtype=np.int32)


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
        The column of each Gaussian feature's sum, shape (g,); its sum of squares stands next to it.
    steps, offset, square
        Of those features, shape (g,): grid points, and what is subtracted from sums and squares.
    others
        Features of other kinds.
    """

    schema: Schema
    levels: NDArray[np.intp]
    starts: NDArray[np.intp]
    lengths: NDArray[np.intp]
    first: NDArray[np.intp]
    steps: Floats
    offset: Floats
    square: Floats
    others: tuple[OtherKind, ...] = ()

    @classmethod
    def of(cls, schema: Schema) -> "Sums":
        """The columns of a schema, of whatever kinds its features are."""
        each = list(zip(schema.features, schema.columns, strict=True))
        levels = [columns for feature, columns in each if isinstance(feature, Levelled)]
        lengths = np.array([columns.stop - columns.start for columns in levels], dtype=np.intp)
        gaussian = [(f, columns.start) for f, columns in each if isinstance(f, Numeric)]
        figures = [(f.steps, f.offset, f.square_offset) for f, _ in gaussian]
        steps, offset, square = np.array(figures, dtype=np.float64).reshape(-1, 3).T
        others, end = [], schema.width
        for feature, columns in each:
            if not isinstance(feature, Numeric | Levelled):
                others.append(OtherKind(feature, columns, slice(end, end + feature.size)))
                end += feature.size
        return cls(
            schema,
            np.array([c for columns in levels for c in range(columns.start, columns.stop)], dtype=np.intp),
            np.cumsum([0, *lengths[:-1]], dtype=np.intp) if len(lengths) else lengths,
            lengths,
            np.array([start for _, start in gaussian], dtype=np.intp),
            steps,
            offset,
            square,
            tuple(others),
        )

    @property
    def size(self) -> int:
        """How many weights a class has."""
        return self.others[-1].extra.stop if self.others else self.schema.width

    def per_feature(self, cells: Floats) -> Floats:
        """The sum over each feature's levels, given to every level of it, (..., k) in and out."""
        if not len(self.levels):
            return cells
        return np.repeat(np.add.reduceat(cells, self.starts, axis=-1), self.lengths, axis=-1)

    def design(self, records: Records) -> Floats:
        """What each record multiplies the weights by, shape (n, size)."""
        result = np.zeros((len(records), self.size))
        result[:, 0] = 1.0
        rows = np.arange(len(records))
        extra = {other.columns.start: other.extra.start for other in self.others}
        for feature, columns, column in zip(
            self.schema.features, self.schema.columns, records.codes.T, strict=True
        ):
            known = column != UNKNOWN
            if isinstance(feature, Numeric):
                value = np.where(known, column - float(feature.offset), 0.0)
                result[:, columns.start], result[:, columns.start + 1] = value, value**2
            else:
                start = extra.get(columns.start, columns.start)
                result[rows[known], start + column[known]] = 1.0
        return result


@dataclass(frozen=True, eq=False)
class Weighed:
    """Tables of sums (s, C, width) as parameters, these as weights (s, C, size); what the way back needs."""

    weights: Floats
    parameters: Floats
    counts: Floats
    cells: Floats
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
    parameters = np.empty_like(tables)
    parameters[..., 0] = counts + smoothing
    parameters[..., sums.levels] = cells
    parameters[..., sums.first], parameters[..., sums.first + 1] = mean, variance
    for other in sums.others:
        parameters[..., other.columns] = other.feature.estimate(
            tables[..., other.columns], counts, smoothing
        )[0]
    weights = weights_of(sums, parameters)
    return Weighed(weights, parameters, counts, cells, mean == raw_mean, variance == raw_variance)


def back(
    sums: Sums,
    tables: Floats,
    found: Weighed,
    gradient: Floats,
    smoothing: float,
    constants: Floats | None = None,
) -> Floats:
    """The gradient by tables (s, C, width), from that by weights (s, C, size); `constants` as below."""
    by_parameters = weights_back(sums, found.parameters, gradient, constants)
    result = np.zeros_like(tables)
    result[..., sums.levels] = by_parameters[..., sums.levels] * (tables[..., sums.levels] > 0)
    mean = found.parameters[..., sums.first]
    by_variance = by_parameters[..., sums.first + 1] * found.moved_variance
    by_mean = (by_parameters[..., sums.first] - 2 * mean * by_variance) * found.moved_mean
    safe = np.maximum(found.counts, 1.0)[..., None]
    result[..., sums.first] = by_mean / safe
    result[..., sums.first + 1] = by_variance / safe
    means, squares = tables[..., sums.first] / safe, tables[..., sums.first + 1] / safe
    more = -(by_mean * means + by_variance * squares).sum(axis=-1) / safe[..., 0]
    by_count = by_parameters[..., 0] + more * (found.counts > 1)
    for other in sums.others:
        each = np.concatenate([found.counts[..., None], tables[..., other.columns]], axis=-1)

        def estimated(values: Floats, feature: Feature = other.feature) -> Floats:
            return feature.estimate(values[..., 1:], np.maximum(values[..., 0], 0.0), smoothing)[0]

        by_each = differences(estimated, each, by_parameters[..., other.columns], 1e-3)
        by_count += by_each[..., 0]
        result[..., other.columns] = by_each[..., 1:]
    result[..., 0] = by_count * (tables[..., 0] > 0)
    return result


def weights_of(sums: Sums, parameters: Floats) -> Floats:
    """Weights (..., C, size) of models; probabilities of levels and classes need not add to one."""
    weights = np.zeros((*parameters.shape[:-1], sums.size))
    cells = parameters[..., sums.levels]
    weights[..., sums.levels] = np.log(cells) - np.log(sums.per_feature(cells))
    mean, variance = parameters[..., sums.first], parameters[..., sums.first + 1]
    weights[..., sums.first] = mean / variance
    weights[..., sums.first + 1] = -0.5 / variance
    prior = parameters[..., 0]
    weights[..., 0] = np.log(prior) - np.log(prior.sum(axis=-1, keepdims=True))
    weights[..., 0] -= 0.5 * (mean**2 / variance + np.log(variance)).sum(axis=-1)
    for other in sums.others:
        values = parameters[..., None, other.columns]
        weights[..., other.extra] = other.feature.log_density(values, other.codes)
    return weights


def weights_back(sums: Sums, parameters: Floats, gradient: Floats, constants: Floats | None = None) -> Floats:
    """The gradient by parameters (..., C, width), from that by weights (..., C, size).

    Parameters
    ----------
    constants
        The gradient by what each Gaussian feature adds to the constant, (..., C, g), where that is not the
        same for all of them and for the class probability.
    """
    result = np.zeros_like(parameters)
    cells, by_cells = parameters[..., sums.levels], gradient[..., sums.levels]
    result[..., sums.levels] = by_cells / cells - sums.per_feature(by_cells) / sums.per_feature(cells)
    prior, constant = parameters[..., 0], gradient[..., :1] if constants is None else constants
    total = gradient[..., 0].sum(axis=-1, keepdims=True)
    result[..., 0] = gradient[..., 0] / prior - total / prior.sum(axis=-1, keepdims=True)
    mean, variance = parameters[..., sums.first], parameters[..., sums.first + 1]
    by_sum, by_square = gradient[..., sums.first], gradient[..., sums.first + 1]
    result[..., sums.first] = (by_sum - constant * mean) / variance
    by_variance = -by_sum * mean / variance**2 + 0.5 * by_square / variance**2
    result[..., sums.first + 1] = by_variance + constant * 0.5 * (mean**2 / variance - 1.0) / variance
    for other in sums.others:

        def scored(values: Floats, other: OtherKind = other) -> Floats:
            return other.feature.log_density(values[..., None, :], other.codes)

        at = parameters[..., other.columns]
        result[..., other.columns] = differences(scored, at, gradient[..., other.extra], 1e-5)
    return result


def differences(function: Callable[[Floats], Floats], at: Floats, gradient: Floats, step: float) -> Floats:
    """The gradient by `at` (..., w), from that by what a function makes of it (..., k): central differences.

    Parameters
    ----------
    step
        Relative to each value, and no smaller than its own square; where the function is not finite nothing
        moves.
    """
    result = np.zeros_like(at)
    for column in range(at.shape[-1]):
        far = np.zeros_like(at)
        far[..., column] = step * np.maximum(np.abs(at[..., column]), step)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (function(at + far) - function(at - far)) / (2 * far[..., column, None])
        result[..., column] = (np.nan_to_num(slope, posinf=0.0, neginf=0.0) * gradient).sum(axis=-1)
    return result
