"""A model that was read off votes, with the row that it was read from."""

from typing import Any

import numpy as np

from protocols.ring import Integers
from securenb.bayes.model import NaiveBayes
from securenb.bayes.parameters import Parameters
from securenb.bayes.staircase.estimate import scores, shares
from securenb.schema.increments import Increments
from securenb.schema.schema import Schema


class StaircaseModel(NaiveBayes):
    """Naive Bayes with the rates of one row of increments.

    Parameters
    ----------
    layout
        Of the row.
    row
        As opened, noise included, shape (C, width of the layout); as public as the model.
    nodes
        How many nodes are in it.
    trim
        b, see `securenb.bayes.staircase.votes.Votes`.
    """

    def __init__(self, layout: Increments, row: Integers, nodes: int, trim: float) -> None:
        if row.shape != (len(layout.classes), layout.width):
            raise ValueError(
                f"expected a row of shape {(len(layout.classes), layout.width)}, got {row.shape}"
            )
        table = scores(layout, shares(layout, row, nodes), trim, nodes)
        super().__init__(Parameters(layout.base, table, np.ones(table.shape, dtype=np.bool_)))
        self.layout, self.row, self.nodes, self.trim = layout, row, nodes, trim

    def to_dict(self) -> dict[str, Any]:
        """See `NaiveBayes.to_dict`; the row and its thresholds stand beside the parameters."""
        votes = {
            "thresholds": [list(steps) for steps in self.layout.thresholds],
            "row": self.row.tolist(),
            "nodes": self.nodes,
            "trim": self.trim,
        }
        return {**super().to_dict(), "staircase": votes}

    @classmethod
    def from_votes(cls, schema: Schema, found: dict[str, Any]) -> "StaircaseModel":
        """The model of what `to_dict` kept under `staircase`."""
        layout = Increments.of(schema, found["thresholds"])
        row = np.asarray(found["row"], dtype=np.int64)
        return cls(layout, row, int(found["nodes"]), float(found["trim"]))
