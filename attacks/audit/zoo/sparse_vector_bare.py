"""The sparse vector technique without noise on the counts."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class SparseVectorBare(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Stoddard, Chen and Machanavajjhala (2014), as refuted by Lyu, Su and Li (2017): algorithm 5."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([5, 5, 5, 4, 4, 4], [4, 4, 4, 5, 5, 5], "a record in all counts")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        threshold = 5 + rng.laplace(0.0, 1.0)
        return [int(cell >= threshold) for cell in data]
