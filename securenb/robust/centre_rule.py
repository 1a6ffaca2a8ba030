"""Rules that find the centre of the rows' local parameters, and what comes before them."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from securenb.bayes.parameters import Floats, Parameters, estimate
from securenb.robust.points import Points, plain, stabilised, unplain, unstabilised
from securenb.robust.preaggregation import Preaggregation
from securenb.robust.rule import RULES, Rows, Rule


def local_parameters(rows: Rows, smoothing: float) -> Parameters:
    """The parameters that each row alone would give, stacked.

    The pseudo-count is shared among the rows: each adds its part, so that all of them together are smoothed
    as their sum would be, and equal rows combine to exactly the model of their sum. A whole pseudo-count
    in each row would drown the counts of small nodes.
    """
    return estimate(rows.schema, rows.tables, smoothing / len(rows.sizes))


def with_average_classes(combined: Parameters, local: Parameters) -> Parameters:
    """`combined`, with the class probabilities averaged over the rows that have records.

    Where nodes hold mostly records of one class each, the centre of their class probabilities is a node
    of the commonest class, and the model knows no other. Their mean is right, and robust enough: they are
    shares between 0 and 1, so f of n rows move it by at most f / n.
    """
    table = combined.table.copy()
    having = local.defined[:, 0, 0]
    shares = local.table[having, :, 0].mean(axis=0)
    table[:, 0] = shares / shares.sum()
    return Parameters(combined.schema, table, combined.defined)


@dataclass(frozen=True)
class PointRule(Rule):
    """The centre of the parameters that each row alone would give; class probabilities are averaged.

    Parameters
    ----------
    before
        Pre-aggregations, first to last. They see all coordinates: what a row does not define is imputed
        before them, see `securenb.robust.points.Points.imputed`.
    """

    before: tuple[Preaggregation, ...] = ()

    by_coordinate: ClassVar[bool] = False
    """Whether coordinates are combined one by one, on the parameters themselves and skipping what is
    undefined; otherwise in the stabilised space of `securenb.robust.points`, imputing it."""
    norm: ClassVar[float] = 2
    """The norm of `displacement`: 2, or infinity for the largest coordinate."""
    fewest: ClassVar[int] = 3
    """Rows that must define a cell. Among fewer, a centre is one of them or their mean: any one decides."""

    @abstractmethod
    def centre(self, points: Points) -> Floats:
        """The centre, shape (d,), of points of which `malicious` may be anything.

        Raises
        ------
        ValueError
            If the points cannot be combined.
        """

    @abstractmethod
    def bound(self, rows: int) -> int:
        """`Rule.tolerance` without anything before."""

    @abstractmethod
    def displacement(self, rows: int) -> float:
        """How far `malicious` rows can carry the centre, in diameters of the honest points.

        The distance of the centre to each honest point is at most this many times the largest distance
        between two honest points, whatever the malicious ones are; distances are taken in `norm`.
        """

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`."""
        most = rows
        for step in self.before:
            most = min(most, (rows - 1) // 2)
            rows = step.rows(rows)
        return min(most, self.bound(rows))

    def tolerated(self, rows: Rows) -> int:
        """See `Rule.tolerated`: cells that few rows define tolerate fewer."""
        fewest = int(local_parameters(rows, self.smoothing).defined.sum(axis=0).min())
        return min(self.tolerance(len(rows.sizes)), self._cell_tolerance(fewest))

    def _combine(self, rows: Rows) -> Parameters:
        local = local_parameters(rows, self.smoothing)
        self._check_cells(local)
        skipping = self.by_coordinate and not self.before
        points = plain(local) if skipping else stabilised(local)
        if not skipping:
            values = points.imputed()
            for step in self.before:
                values = step.apply(values, self.malicious)
            points = Points(values, np.ones(values.shape, dtype=np.bool_))
        centre = replace(self, before=()).centre(points)
        combined = unplain(rows.schema, centre) if skipping else unstabilised(rows.schema, centre)
        return with_average_classes(combined, local)

    def _cell_tolerance(self, defining: int) -> int:
        """The most malicious rows among those that define a cell; negative if they are too few at all."""
        if defining < self.fewest:
            return -1
        by_median = (defining - 1) // 2
        return min(by_median, self.bound(defining)) if self.by_coordinate and not self.before else by_median

    def _check_cells(self, local: Parameters) -> None:
        defining: NDArray[np.int64] = local.defined.sum(axis=0)
        row, column = np.unravel_index(int(np.argmin(defining)), defining.shape)
        fewest = int(defining[row, column])
        most = self._cell_tolerance(fewest)
        if most < self.malicious:
            reason = (
                f"it needs {self.fewest}"
                if most < 0
                else f"that tolerates at most {most} malicious ones, not {self.malicious}"
            )
            raise ValueError(
                f"the rule {RULES.name_of(self)!r} cannot run: class {local.schema.classes[row]!r}, "
                f"{local.schema.column_name(int(column))}: {fewest} of {len(local.defined)} rows define it; "
                f"{reason}"
            )
