"""The contract of a check: one question put to one scheme, release or rule of an adapter."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from attacks.judging.outcome import Outcome
from protocols.catalogue import Catalogue

Kind = Literal["sums", "releases", "rules"]
Concern = Literal["correctness", "robustness", "confidentiality", "privacy"]

SECRET: frozenset[Concern] = frozenset({"confidentiality", "privacy"})
"""Failures of these are told to a maintainer before they are published, see `attacks.judging.disclosure`."""


@dataclass(frozen=True)
class Found:
    """What a check found on one case.

    Attributes
    ----------
    case
        What was tried, in words.
    adjacency, bound
        For releases.
    runs
        Of the code that is judged.
    """

    case: str
    outcome: Outcome
    reason: str = ""
    adjacency: str = ""
    bound: float | None = None
    runs: int | None = None


@dataclass(frozen=True)
class Effort:
    """What checks of releases may take.

    Parameters
    ----------
    epsilon
        That releases are asked for.
    runs, seconds
        On each input, and of each audit; whichever ends first.
    tests
        Audits that share a chance of 10^-3 of any false alarm: those of a whole board; of an
        adapter by itself as many as are made of it.
    seed
        Of vectors, rows and audits.
    """

    epsilon: float = 1.0
    runs: int = 20_000
    seconds: float = 10.0
    tests: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epsilon", "runs", "seconds", "tests"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")

    def rng(self) -> np.random.Generator:
        """The same for every check, so that a check by itself finds what it finds among others."""
        return np.random.default_rng(self.seed)


class Check(ABC):
    """One question.

    Attributes
    ----------
    kind
        Of the subjects that it is put to.
    concerns
        What breaks where the answer is wrong.
    """

    kind: ClassVar[Kind]
    concerns: ClassVar[Concern]

    @abstractmethod
    def run(self, subject: Any, effort: Effort) -> Iterator[Found]:
        """Ask; one finding a case.

        Raises
        ------
        BrokenAdapterError
            If an answer has another shape than the adapter's contract says.
        """


CHECKS: Catalogue[Check] = Catalogue("attacks.judging.checks", Check, "check")
"""By name; adding a file adds a check."""
