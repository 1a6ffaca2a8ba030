"""A sum that refuses values beyond its bounds at the end."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class AbortsWhenMany(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "The value is in the domain, and exactly one of the neighbours is refused."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        if max(data) > 0.9:
            raise ValueError("a value is too large")
        return float(sum(data)) + rng.laplace(0.0, 1.0)
