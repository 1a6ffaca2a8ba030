"""The sum of all rows: what a trusted, unattacked federation would use."""

from dataclasses import dataclass
from typing import ClassVar

from securenb.bayes.parameters import Parameters
from securenb.bayes.pooled import Pooled
from securenb.robust.rule import Rows, Rule
from securenb.schema.statistics import Statistics


@dataclass(frozen=True)
class Sum(Rule):
    """Parameters of the pooled records. One malicious row moves it without limit."""

    pools: ClassVar[bool] = True
    shrinks: ClassVar[bool] = True

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`."""
        return 0

    def pooled(self, rows: Rows) -> Pooled | None:
        """See `Rule.pooled`: none with equal priors, which are no estimate."""
        return self._pooled(rows) if self.priors == "counted" else None

    def _combine(self, rows: Rows) -> Parameters:
        return self._pooled(rows).parameters()

    def _pooled(self, rows: Rows) -> Pooled:
        return Pooled(Statistics(rows.schema, rows.tables.sum(axis=0)), self.smoothing)
