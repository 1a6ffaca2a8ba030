"""A count with noise that is always even."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class EvenNoise(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Whether the answer is odd tells whether the count is."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + 2 * two_sided(rng, 1.0)
