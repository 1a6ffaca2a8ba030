"""The contract of a mechanism whose privacy is known, which audits are judged by."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from protocols.catalogue import Catalogue


class Specimen(ABC):
    """A release, what it claims, and what is true.

    Attributes
    ----------
    epsilon, delta
        What is claimed.
    truth
        The least epsilon that is true at that delta, for the worst of `pairs`; infinite if none is.
    why
        Where the bug is, or why there is none, and who published it.
    gaussian
        Whether the claim is that of Gaussian noise.
    reals
        Whether the claim is about real numbers: then low bits of floating-point outputs are not read.
    adjacency
        Which data sets are neighbours.
    """

    epsilon: ClassVar[float] = 1.0
    delta: ClassVar[float] = 0.0
    truth: ClassVar[float]
    why: ClassVar[str]
    gaussian: ClassVar[bool] = False
    reals: ClassVar[bool] = False
    adjacency: ClassVar[str] = "add-remove"

    @property
    def sound(self) -> bool:
        """Whether the claim is true."""
        return self.truth <= self.epsilon * (1 + 1e-6)

    @abstractmethod
    def pairs(self) -> Sequence[tuple[Any, Any, str]]:
        """Neighbouring inputs, with names; the worst is among them."""

    @abstractmethod
    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """One run."""


def count_pairs() -> list[tuple[int, int, str]]:
    """Counts of records, one more or less."""
    return [(0, 1, "no record, and one"), (1, 2, "one record, and two"), (20, 21, "20 records, and 21")]


def cell_pairs() -> list[tuple[list[int], list[int], str]]:
    """Counts in five cells, one record more or less."""
    return [
        ([4, 0, 7, 1, 3], [4, 1, 7, 1, 3], "an empty cell gets a record"),
        ([4, 0, 7, 1, 3], [5, 0, 7, 1, 3], "the first cell gets a record"),
        ([4, 0, 7, 1, 3], [4, 0, 7, 2, 3], "the fourth cell gets a record"),
    ]


def value_pairs() -> list[tuple[list[float], list[float], str]]:
    """Values between 0 and 1, one more or less."""
    some = [0.25, 0.5, 0.375, 0.75, 0.625, 0.125, 0.25, 0.5, 0.875, 0.5]
    return [
        (some, [*some, 1.0], "ten values, and a 1"),
        (some, [*some, 0.0], "ten values, and a 0"),
        ([0.0] * 10, [*[0.0] * 10, 1.0], "ten zeros, and a 1"),
    ]


def two_sided(rng: np.random.Generator, epsilon: float) -> int:
    """Discrete Laplace noise, P(k) ∝ exp(-epsilon |k|), as a difference of geometric variables."""
    stop = -np.expm1(-epsilon)
    return int(rng.geometric(stop)) - int(rng.geometric(stop))


def polya(rng: np.random.Generator, epsilon: float, doses: float) -> int:
    """A part of a dose of that noise."""
    stop = -np.expm1(-epsilon)
    return int(rng.negative_binomial(doses, stop)) - int(rng.negative_binomial(doses, stop))


ZOO: Catalogue[Specimen] = Catalogue("attacks.audit.zoo", Specimen, "mechanism of the zoo")
