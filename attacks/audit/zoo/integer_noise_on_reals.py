"""A sum of reals with integer noise."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class IntegerNoiseOnReals(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "What stands after the point is exact."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([0.25, 0.5], [0.25, 0.5, 0.125], "two values, and an eighth")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(sum(data)) + two_sided(rng, 1.0)
