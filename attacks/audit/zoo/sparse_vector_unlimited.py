"""The sparse vector technique that goes on after its answer."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class SparseVectorUnlimited(Specimen):
    """See the top of the file."""

    truth = 3.1846
    why = (
        "Chen et al. (2015), as refuted by Lyu, Su and Li (2017): algorithm 6; the cost grows with "
        "the number of answers."
    )

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([5] * 4 + [4] * 4, [4] * 4 + [5] * 4, "a record in all counts")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        threshold = 5 + rng.laplace(0.0, 2.0)
        return [int(cell + rng.laplace(0.0, 2.0) >= threshold) for cell in data]
