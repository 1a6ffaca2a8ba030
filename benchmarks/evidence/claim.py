"""A claim of the documentation, how it is measured, and which code it speaks of."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from protocols.catalogue import Catalogue

Result = dict[str, float]
"""What one part found: counts and figures by name."""


class Claim(ABC):
    """A claim, measured in independent parts, so that an interrupted run goes on where it stopped."""

    says: ClassVar[str]
    """The claim, in one sentence."""

    code: ClassVar[tuple[str, ...]]
    """Paths in the repository; a newer commit that touches one of them makes the evidence stale."""

    seed: ClassVar[int]
    parts: ClassVar[int]

    @abstractmethod
    def measure(self, part: int, size: int | None = None) -> Result:
        """Measure one part; the same part gives the same result. `size` makes it a small sample."""

    @abstractmethod
    def holds(self, results: Sequence[Result]) -> bool:
        """Whether these parts bear the claim out."""


CLAIMS: Catalogue[Claim] = Catalogue("benchmarks.evidence.claims", Claim, "claim")
