"""What nodes are about to send in a round, and what the round left behind."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from protocols.engines.transcript import ROLES, Transcript
from protocols.grouping import Groups
from protocols.opened import Opened
from protocols.ring import Integers
from securenb._html import html_facts, html_table
from securenb.bayes.model import NaiveBayes
from securenb.privacy.ledger import Ledger
from securenb.privacy.witnesses import Witnesses


@dataclass(frozen=True, eq=False)
class Contributions:
    """What the nodes are about to send.

    Attributes
    ----------
    groups
        Who is summed with whom.
    vectors
        Noised statistics, (d,) int64 by node.
    """

    groups: Groups
    vectors: Mapping[str, Integers]


@dataclass(frozen=True, eq=False, repr=False)
class Round:
    """What one round left behind.

    Attributes
    ----------
    model
        The rule's model.
    opened
        The rows that the protocol opened, and whose they are.
    ledger
        What opening them cost.
    transcript
        Bytes, messages, CPU time, blame.
    learned
        What the aggregator learned, in words.
    refused
        Nodes whose vectors were malformed, and why: the round went on as if they were silent.
    witnesses
        The cells that no record touches, where there are any; `Witnesses.findings` says what they show.
    """

    model: NaiveBayes
    opened: Opened
    ledger: Ledger
    transcript: Transcript
    learned: str
    refused: Mapping[str, str]
    witnesses: Witnesses | None = None

    def digests(self) -> dict[str, str]:
        """SHA-256 of the opened rows and of the model's parameters: equal rounds have equal digests."""
        return {
            "rows": hashlib.sha256(self.opened.rows.astype("<i8").tobytes()).hexdigest(),
            "model": hashlib.sha256(self.model.parameters.table.astype("<f8").tobytes()).hexdigest(),
        }

    @property
    def frame(self) -> pd.DataFrame:
        """What the round took: one row for each party, see `Transcript.table`."""
        return pd.DataFrame(self.transcript.table())

    def __repr__(self) -> str:
        lost = f", {len(self.opened.lost)} groups lost" if self.opened.lost else ""
        refused = f", {len(self.refused)} refused" if self.refused else ""
        return f"<Round: {self.learned}{lost}{refused}; {self.ledger!r}; {self.transcript!r}>"

    def _repr_html_(self) -> str:
        transcript = self.transcript
        facts = {"the aggregator learned": self.learned}
        if self.opened.lost:
            facts["groups not opened"] = "; ".join(lost.reason for lost in self.opened.lost)
        if self.witnesses is not None:
            facts["the noise, by its witnesses"] = self.witnesses.found
        if self.refused:
            facts["refused at the door"] = ", ".join(self.refused)
        if transcript.blames:
            facts["blamed"] = "; ".join(f"{blame.whom}: {blame.reason}" for blame in transcript.blames)
        lines = [
            [
                role,
                f"{len(tallies):,}",
                f"{transcript.mean(role, 'sent'):,.0f}",
                f"{transcript.mean(role, 'received'):,.0f}",
                f"{1e3 * transcript.mean(role, 'cpu'):,.2f}",
            ]
            for role in ROLES
            if (tallies := transcript.of_role(role))
        ]
        columns = ["party", "how many", "B sent", "B received", "ms of processor time"]
        return (
            html_facts("Round", facts)
            + html_table("What it cost one party, on average", columns, lines)
            + self.ledger._repr_html_()
        )
