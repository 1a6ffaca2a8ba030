"""A mean that divides by a noisy count, and by nothing if there is none."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class NotANumber(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "No record gives NaN."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([], [1.0], "no value, and one")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return (sum(data) / len(data) if data else math.nan) + float(two_sided(rng, 0.5))
