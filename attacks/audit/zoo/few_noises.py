"""A count with one of three kept noises."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class FewNoises(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Answers repeat: their set tells the count."

    noises: list[int]

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        if not hasattr(self, "noises"):
            self.noises = [two_sided(rng, 1.0) * 3 for _ in range(3)]
        return data + self.noises[int(rng.integers(3))]
