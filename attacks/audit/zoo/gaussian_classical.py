"""A sum with Gaussian noise by the textbook formula."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class GaussianClassical(Specimen):
    """See the top of the file."""

    delta = 1e-05
    gaussian = True
    reals = True
    truth = 0.751
    why = "sqrt(2 ln(1.25 / delta)) / epsilon is a little more than needed (Dwork and Roth 2014)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.normal(0.0, (2 * math.log(1.25e5)) ** 0.5))
