"""A count as it is."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class NoNoise(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "No noise at all."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data
