"""A count whose noise the next run takes back."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class NoiseUndone(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Antithetic draws: the mean of two runs is exact."

    noise = 0
    undo = False

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        self.noise = -self.noise if self.undo else two_sided(rng, 1.0)
        self.undo = not self.undo
        return data + self.noise
