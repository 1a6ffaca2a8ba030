"""A count with one and a half doses."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, polya


class SurplusShares(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "More noise is post-processing of a dose; the claim need not be tight."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + polya(rng, 1.0, 1.5)
