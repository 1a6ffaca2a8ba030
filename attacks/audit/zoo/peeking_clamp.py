"""A noisy count that is clamped to at least the true count."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class PeekingClamp(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Post-processing looked at the data."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return max(data, data + two_sided(rng, 1.0))
