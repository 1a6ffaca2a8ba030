"""The contract of a pre-aggregation: it moves rows before a rule combines them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from protocols.catalogue import Catalogue
from securenb.bayes.parameters import Floats


@dataclass(frozen=True)
class Preaggregation(ABC):
    """Moves or merges rows. Implementations are frozen dataclasses; they change no input."""

    @abstractmethod
    def apply(self, points: Floats, malicious: int) -> Floats:
        """New points (n', d) for points (n, d), of which at most `malicious` are arbitrary.

        Of the new points too, at most `malicious` hold nothing of an honest row.
        """

    def rows(self, rows: int) -> int:
        """How many rows are left of `rows`."""
        return rows


PREAGGREGATIONS: Catalogue[Preaggregation] = Catalogue(
    "securenb.robust.preaggregations", Preaggregation, "pre-aggregation"
)
