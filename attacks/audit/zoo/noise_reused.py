"""A count and a sum with the same noise."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class NoiseReused(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "Their difference has none."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        noise = rng.laplace(0.0, 2.0)
        return [len(data) + noise, float(sum(data)) + noise]
