"""A noisy sum beside the number of records."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class SizeInTheClear(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "The number is exact."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [float(sum(data)) + rng.laplace(0.0, 1.0), len(data)]
