"""FLCert-D: every row trains a model of its own, and the models vote."""

from dataclasses import dataclass
from typing import ClassVar

from securenb.bayes.parameters import Parameters, estimate
from securenb.bayes.voting import Voting
from securenb.robust.rule import Rows, Rule


@dataclass(frozen=True)
class Flcert(Rule):
    """The majority vote of the models of disjoint groups (Cao, Zhang, Jia and Gong 2022, arXiv 2210.00584).

    With groups of one it is the vote of the nodes' own models. A malicious node decides one vote, so that a
    prediction withstands as many malicious rows as `securenb.bayes.voting.Voting.withstood` says, whatever
    they send. A row's model is the plain estimate of its counts: each has the whole pseudo-count, as nothing
    is summed.
    """

    votes: ClassVar[bool] = True

    def tolerance(self, rows: int) -> int:
        """See `Rule.tolerance`: as long as honest votes that agree are more than the malicious ones."""
        return (rows - 1) // 2

    def model(self, rows: Rows) -> Voting:
        """See `Rule.model`."""
        return Voting(self.combine(rows))

    def _combine(self, rows: Rows) -> Parameters:
        return estimate(rows.schema, rows.tables, self.smoothing)
