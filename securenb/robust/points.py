"""Rows as points in a space where distances and averages make sense.

A rule that combines coordinate by coordinate works on the parameters themselves. A rule that measures
distances cannot: probabilities, means in grid steps and variances in squared steps have no common
scale, and the frequent levels would drown the rare ones. For such rules

* a probability p becomes √p, whose standard error is about 1/(2√n) whatever p is (the variance-stabilising
  transform of a proportion); the Euclidean distance between two distributions is then √2 times their
  Hellinger distance, never more than √2, so that no feature drowns another;
* a mean becomes a share of the feature's range, and a variance the standard deviation as a share of it.
"""

from dataclasses import dataclass

import numpy as np

from securenb.bayes.parameters import Floats, Mask, Parameters, normalised
from securenb.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Points:
    """One point a row.

    Attributes
    ----------
    values
        Shape (n, d), float64, finite.
    defined
        Same shape: where a row knew nothing, its value means nothing.
    """

    values: Floats
    defined: Mask

    def imputed(self) -> Floats:
        """Values with the median of the rows that define a coordinate where a row does not.

        So an undefined coordinate neither attracts nor repels, and is as robust as a median.
        """
        if self.defined.all():
            return self.values
        centre = np.nanmedian(np.where(self.defined, self.values, np.nan), axis=0)
        return np.where(self.defined, self.values, centre)


def checked(points: Floats, malicious: int, tolerated: int) -> Floats:
    """The points, unchanged, if they can be combined at all.

    Raises
    ------
    ValueError
        If they are not a finite float64 matrix, naming the first bad row, or if more rows may be
        malicious than the rule tolerates among so many.
    """
    check_matrix(points)
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        raise ValueError(f"row {int(np.argmin(finite))} is not finite")
    check_bound(len(points), malicious, tolerated)
    return points


def check_matrix(points: Floats) -> None:
    """Raise `ValueError` unless the points are float64, shape (n, d), and there are some."""
    if points.ndim != 2 or points.dtype != np.float64 or not points.size:
        raise ValueError(f"expected float64 points (n, d), got {points.dtype} {points.shape}")


def check_bound(rows: int, malicious: int, tolerated: int, what: str = "the rule") -> None:
    """Raise `ValueError` unless 0 ≤ malicious ≤ tolerated."""
    if malicious < 0:
        raise ValueError(f"there cannot be {malicious} malicious rows")
    if malicious > tolerated:
        raise ValueError(
            f"{what} tolerates at most {max(tolerated, 0)} malicious of {rows} rows, not {malicious}"
            if tolerated >= 0
            else f"{what} cannot run on {rows} rows"
        )


def stabilised(parameters: Parameters) -> Points:
    """Parameters (n, C, width) as points (n, C·width) of the space described above."""
    schema, table = parameters.schema, parameters.table.copy()
    table[..., 0] = np.sqrt(table[..., 0])
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        table[..., columns] = feature.points(table[..., columns])
    rows = len(table)
    return Points(table.reshape(rows, -1), parameters.defined.reshape(rows, -1))


def unstabilised(schema: Schema, point: Floats) -> Parameters:
    """Inverse of `stabilised` for one point (C·width,)."""
    table = point.reshape(len(schema.classes), schema.width)
    result = table.copy()
    result[..., 0] **= 2
    for feature, columns in zip(schema.features, schema.columns, strict=True):
        result[..., columns] = feature.parameters_at(table[..., columns])
    return Parameters(schema, normalised(schema, result), np.ones(table.shape, dtype=np.bool_))


def plain(parameters: Parameters) -> Points:
    """Parameters (n, C, width) as points (n, C·width), as they are."""
    rows = len(parameters.table)
    return Points(parameters.table.reshape(rows, -1), parameters.defined.reshape(rows, -1))


def unplain(schema: Schema, point: Floats) -> Parameters:
    """Inverse of `plain` for one point (C·width,); probabilities are rescaled to add to one."""
    table = point.reshape(len(schema.classes), schema.width)
    return Parameters(schema, normalised(schema, table), np.ones(table.shape, dtype=np.bool_))
