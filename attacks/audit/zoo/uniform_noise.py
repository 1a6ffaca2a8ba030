"""A count with uniform noise."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class UniformNoise(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "The ends of the range tell."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + rng.uniform(-3.0, 3.0)
