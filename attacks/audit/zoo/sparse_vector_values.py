"""The sparse vector technique that releases the noisy count it compared."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class SparseVectorValues(Specimen):
    """See the top of the file."""

    reals = True
    truth = 2.0
    why = "Roth (2011), as refuted by Lyu, Su and Li (2017): algorithm 3."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([0, 0, 0, 0], [1, 1, 1, 1], "a record in all counts")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        threshold = rng.laplace(0.0, 2.0)
        for index, cell in enumerate(data):
            noisy = cell + rng.laplace(0.0, 2.0)
            if noisy >= threshold:
                return [index, noisy]
        return [-1, 0.0]
