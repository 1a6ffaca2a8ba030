"""The coordinate-wise median of the parameters of each row."""

from dataclasses import dataclass

import numpy as np

from securenb.parameters import Parameters, estimate, normalised
from securenb.rule import Rows, Rule

FEWEST = 3
"""With fewer rows a median is one of them or their mean: a single bad row decides."""


@dataclass(frozen=True)
class Median(Rule):
    """Each parameter is the median over the rows that define it (the SECRYPT 2022 paper's open question).

    A row defines the parameters of a class only if it holds records of that class. Skipping the others
    is what keeps the median alive when most nodes lack most classes. The median of an even number of
    rows is the midpoint of the middle two. Probabilities are rescaled to add to one afterwards.
    """

    def combine(self, rows: Rows) -> Parameters:
        """See `Rule.combine`; refuses a cell that fewer than three rows define."""
        local = estimate(rows.schema, rows.tables, self.smoothing)
        defining = local.defined.sum(axis=0)
        if (defining < FEWEST).any():
            row, column = np.argwhere(defining < FEWEST)[0]
            raise ValueError(
                f"the median needs {FEWEST} rows that define each parameter; class "
                f"{rows.schema.classes[row]!r}, {rows.schema.column_name(int(column))}: "
                f"{defining[row, column]} of {len(rows.sizes)} do"
            )
        table = np.nanmedian(np.where(local.defined, local.table, np.nan), axis=0)
        return Parameters(rows.schema, normalised(rows.schema, table), np.ones(table.shape, dtype=np.bool_))
