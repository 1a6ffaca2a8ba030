"""A sum with Gaussian noise that claims pure epsilon."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class GaussianPure(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "Gaussian noise has no pure epsilon."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.normal(0.0, 1.4))
