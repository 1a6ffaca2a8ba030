"""Several Naive Bayes models that vote: the class that most of them predict."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from securenb._html import html_table
from securenb.bayes.model import NaiveBayes, log_joint
from securenb.bayes.parameters import Floats, Parameters
from securenb.schema.cells import Codes

AT_ONCE = 1 << 22
"""Scores that are held in memory at a time: 32 MB."""


class Voting(NaiveBayes):
    """The majority vote of models, each with one vote; the first class on ties.

    Parameters
    ----------
    parameters
        Of g models, a table of shape (g, C, width), g ≥ 1.

    Raises
    ------
    ValueError
        If the shape is another, or a parameter is not finite.
    """

    def __init__(self, parameters: Parameters) -> None:
        schema, table = parameters.schema, parameters.table
        if table.ndim != 3 or table.shape[1:] != (len(schema.classes), schema.width) or not len(table):
            raise ValueError(f"a vote needs the parameters of at least one model, got shape {table.shape}")
        if not np.isfinite(table).all():
            raise ValueError("a model's parameters must be finite")
        self.parameters = parameters
        self.pooled = None
        self.schema = schema

    def votes(self, codes: Codes) -> NDArray[np.int64]:
        """How many models predict each class, shape (n, C), for codes (n, F)."""
        table = self.parameters.table
        models, classes, width = table.shape
        flat = table.reshape(-1, width)
        found = np.empty((len(codes), classes), dtype=np.int64)
        step = max(1, AT_ONCE // len(flat))
        for start in range(0, len(codes), step):
            some = codes[start : start + step]
            choice = log_joint(self.schema, flat, some).reshape(-1, models, classes).argmax(axis=2)
            found[start : start + step] = (choice[..., None] == np.arange(classes)).sum(axis=1)
        return found

    def log_joint(self, codes: Codes) -> Floats:
        """Log of the share of votes, each class given half a vote more so that it is finite, (n, C)."""
        votes = self.votes(codes)
        models, classes = self.parameters.table.shape[:2]
        shares: Floats = np.log((votes + 0.5) / (models + classes / 2))
        return shares

    def withstood(self, codes: Codes) -> NDArray[np.int64]:
        """The most models that can be left out, whichever they are, without a change of prediction, (n,).

        So whatever so many malicious models are, the prediction is that of the vote of the others: the bound
        of FLCert (Cao, Zhang, Jia and Gong 2022, Theorem 1) for models that are added to the others. It is
        exact: without one model more that votes for the predicted class the prediction is another.
        """
        votes = self.votes(codes)
        best = np.argmax(votes, axis=1)
        behind = votes[np.arange(len(votes)), best][:, None] - votes
        # a class that stands before the predicted one wins a tie
        behind -= np.arange(votes.shape[1]) < best[:, None]
        np.put_along_axis(behind, best[:, None], len(self.parameters.table), axis=1)
        fewest: NDArray[np.int64] = behind.min(axis=1)
        return fewest

    def __repr__(self) -> str:
        models, classes = self.parameters.table.shape[:2]
        return f"<Voting: {models} models, {self.schema.label}, {classes} classes>"

    def _repr_html_(self) -> str:
        """The mean over the models of what they hold the share of each class to be."""
        mean = self.parameters.table[..., 0].mean(axis=0)
        lines = [["share of records, in the mean", *(f"{share:.3f}" for share in mean)]]
        caption = f"{len(self.parameters.table)} Naive Bayes models with a vote each"
        return html_table(caption, [self.schema.label, *self.schema.classes], lines)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NaiveBayes:
        """See `NaiveBayes.from_dict`, which knows a vote by the shape of its parameters."""
        return NaiveBayes.from_dict(data)
