"""A count with noise that is cut off at three."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class CutNoise(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Answers at the end of the range happen on one side only."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + max(-3, min(3, two_sided(rng, 1.0)))
