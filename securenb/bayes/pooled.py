"""The sums that the model of a plain sum was estimated from: what a poisoning certificate needs to know."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from securenb.bayes.parameters import Parameters, estimate
from securenb.schema.schema import Schema
from securenb.schema.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Pooled:
    """One table of sums, opened and refined, and how it becomes parameters.

    Whatever valid statistics a node adds to the round are added to this table unchanged: bringing
    opened sums to integers and making them consistent commutes with them.

    Parameters
    ----------
    statistics
        The sum of all rows.
    smoothing
        The rule's.
    """

    statistics: Statistics
    smoothing: float

    def parameters(self) -> Parameters:
        """What the sums say."""
        return estimate(self.statistics.schema, self.statistics.table, self.smoothing)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without the schema."""
        return {"sums": self.statistics.table.tolist(), "smoothing": self.smoothing}

    @classmethod
    def from_dict(cls, schema: Schema, data: dict[str, Any]) -> "Pooled":
        """Inverse of `to_dict`; `ValueError` for anything else."""
        sums = np.asarray(data["sums"])
        if sums.dtype != np.int64:
            raise ValueError(f"a model's sums are integers, not {sums.dtype}")
        return cls(Statistics(schema, sums), float(data["smoothing"]))
