"""The first of six counts above a threshold."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class SparseVector(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Noise on the threshold and on each count, one answer (Lyu, Su and Li 2017, algorithm 1)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([4, 4, 4, 4, 4, 4], [5, 5, 5, 5, 5, 5], "a record in all counts"),
            ([5, 4, 4, 4, 4, 9], [5, 4, 4, 4, 4, 8], "in one"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        threshold = 5 + rng.laplace(0.0, 2.0)
        for index, cell in enumerate(data):
            if cell + rng.laplace(0.0, 4.0) >= threshold:
                return index
        return -1
