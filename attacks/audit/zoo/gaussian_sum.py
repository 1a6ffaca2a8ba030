"""A sum with Gaussian noise of exactly the variance that is needed."""

from typing import Any

import numpy as np

from attacks.audit.black_box.claim import gaussian_shift
from attacks.audit.specimen import Specimen, value_pairs

SIGMA = 1 / gaussian_shift(1.0, 1e-5)


class GaussianSum(Specimen):
    """See the top of the file."""

    delta = 1e-05
    gaussian = True
    reals = True
    truth = 1.0
    why = "The analytic Gaussian mechanism (Balle and Wang 2018); right for real numbers."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.normal(0.0, SIGMA))
