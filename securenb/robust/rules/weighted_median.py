"""The median of each parameter, rows weighted by their records up to a cap."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from securenb.bayes.parameters import Floats, Mask, Parameters
from securenb.robust.centre_rule import local_parameters, with_average_classes
from securenb.robust.points import unplain
from securenb.robust.rule import RULES, Rows, Rule


def weighted_median(points: Floats, weights: Floats) -> Floats:
    """The weighted median of each coordinate, shape (d,); midpoint where two values share the middle.

    Parameters
    ----------
    points
        Shape (n, d).
    weights
        Same shape, not negative; a coordinate needs a positive one.
    """
    order = np.argsort(points, axis=0, kind="stable")
    values = np.take_along_axis(points, order, axis=0)
    running = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)
    half = running[-1] / 2
    if not (half > 0).all():
        raise ValueError(f"coordinate {int(np.argmin(half > 0))} has no weight")
    columns = np.arange(points.shape[1])
    # rounding may hide that the middle is shared
    lower = (running >= half * (1 - 1e-12)).argmax(axis=0)
    upper = (running > half * (1 + 1e-12)).argmax(axis=0)
    return np.asarray((values[lower, columns] + values[upper, columns]) / 2)


@dataclass(frozen=True)
class WeightedMedian(Rule):
    """Lets rows with more records say more, as far as `cap` allows.

    A row weighs what it claims: its count of the class, at most `cap` times the median of the counts of
    the rows that define the class. Without a cap a node would choose its own weight. Parameters are
    taken as they are: a median is the same on any monotone scale. Class probabilities are averaged.

    Parameters
    ----------
    cap
        At least 1.
    """

    cap: float = 2.0

    fewest: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.cap < float("inf"):
            raise ValueError(f"the cap of a weight is at least 1 and finite, got {self.cap}")

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`.

        Let w be the median claim. Half of the rows claim w or more, so at least n/2 - f honest rows weigh
        w or more. Malicious rows weigh f·cap·w at most, which must be less.
        """
        return max(math.ceil(rows / (2 * self.cap + 2)) - 1, 0) if rows >= self.fewest else -1

    def tolerated(self, rows: Rows) -> int:
        """See `Rule.tolerated`."""
        defined = local_parameters(rows, self.smoothing).defined
        return self.tolerance(int(defined.sum(axis=0).min()))

    def _combine(self, rows: Rows) -> Parameters:
        local = local_parameters(rows, self.smoothing)
        self._check_cells(local)
        weights = self._weights(rows.tables[..., 0], local.defined)
        flat = (len(rows.sizes), -1)
        centre = weighted_median(local.table.reshape(flat), weights.reshape(flat))
        return with_average_classes(unplain(rows.schema, centre), local)

    def _weights(self, counts: np.ndarray[tuple[int, ...], np.dtype[np.int64]], defined: Mask) -> Floats:
        """Weights of every parameter, shape (n, C, width)."""
        claimed = np.maximum(counts.astype(np.float64), 0.0)
        weights = np.repeat(self._capped(claimed)[..., None], defined.shape[2], axis=2)
        # every row says something of the class probabilities, even that it has none of a class
        weights[..., 0] = np.maximum(weights[..., 0], 1.0)
        return np.where(defined, weights, 0.0)

    def _capped(self, claimed: Floats) -> Floats:
        some = claimed >= 1
        middle = np.nanmedian(np.where(some, claimed, np.nan), axis=0)
        return np.minimum(claimed, self.cap * middle)

    def _check_cells(self, local: Parameters) -> None:
        defining = local.defined.sum(axis=0)
        row, column = np.unravel_index(int(np.argmin(defining)), defining.shape)
        fewest = int(defining[row, column])
        if self.tolerance(fewest) < self.malicious:
            raise ValueError(
                f"the rule {RULES.name_of(self)!r} cannot run: class {local.schema.classes[row]!r}, "
                f"{local.schema.column_name(int(column))}: {fewest} of {len(local.defined)} rows define it; "
                f"that is too few when {self.malicious} are malicious"
            )
