"""A count whose noise is drawn once and kept."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class NoiseKept(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Two runs on neighbours differ by the record."

    noise: int

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        if not hasattr(self, "noise"):
            self.noise = two_sided(rng, 1.0)
        return data + self.noise
