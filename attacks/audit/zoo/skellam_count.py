"""A count with Skellam noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class SkellamCount(Specimen):
    """See the top of the file."""

    delta = 1e-05
    truth = 0.7831
    why = "Poisson differences of variance 19 cost less than a Gaussian claim of epsilon 1 at 1e-5 allows."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + int(rng.poisson(9.5)) - int(rng.poisson(9.5))
