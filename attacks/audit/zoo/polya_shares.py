"""A count to which ten nodes each add a tenth of a dose."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, polya


class PolyaShares(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Differences of negative binomials add up to discrete Laplace noise (Goryczka and Xiong 2015)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + sum(polya(rng, 1.0, 0.1) for _ in range(10))
