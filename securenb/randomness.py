"""Named streams of statistical randomness: same name, same numbers, whatever runs before or beside it."""

import os
from dataclasses import dataclass

import numpy as np

from protocols.canonical import digest
from protocols.entropy import Entropy, EntropyFor, seeded, system


@dataclass(frozen=True)
class Streams:
    """All randomness of one experiment.

    Parameters
    ----------
    seed
        A simulation's root seed: everything, keys and noise included, is reproducible, so nothing is
        secret. `None` takes everything from the operating system, for releases of real data.
    """

    seed: int | None = None

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise ValueError(f"a seed is a non-negative integer, got {self.seed}")

    def rng(self, *name: str | int) -> np.random.Generator:
        """The generator called `name`."""
        material = os.urandom(32) if self.seed is None else digest("securenb stream", self.seed, list(name))
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(material, "big"))))

    @property
    def entropy_for(self) -> EntropyFor:
        """Key and mask material by party."""
        return system if self.seed is None else seeded(self.seed)

    def entropy(self, name: str) -> Entropy:
        """Key material called `name`."""
        return self.entropy_for(name)
