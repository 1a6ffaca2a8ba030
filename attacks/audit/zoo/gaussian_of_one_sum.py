"""Nine sums of the same values with Gaussian noise for one of them."""

from typing import Any

import numpy as np

from attacks.audit.black_box.claim import gaussian_shift
from attacks.audit.specimen import Specimen, value_pairs

SIGMA = 1 / gaussian_shift(1.0, 1e-5)


class GaussianOfOneSum(Specimen):
    """See the top of the file."""

    delta = 1e-05
    gaussian = True
    reals = True
    truth = 3.407
    why = "Their distance is three times as large."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return np.clip(data, 0, 1).sum() + rng.normal(0.0, SIGMA, 9)
