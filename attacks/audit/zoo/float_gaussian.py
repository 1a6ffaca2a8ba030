"""A count with floating-point Gaussian noise."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class FloatGaussian(Specimen):
    """See the top of the file."""

    delta = 1e-05
    gaussian = True
    truth = math.inf
    why = "The low bits of the sum tell the count (Jin et al. 2022)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + rng.normal(0.0, 4.0)
