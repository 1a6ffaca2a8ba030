"""A sum with noise of the largest value, none if that is zero."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class PaperZeroFeature(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "A feature that is zero throughout gets no noise (the SECRYPT 2022 code, as published)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([0.0] * 9, [0.0] * 9 + [1.0], "nine zeros, and a 1")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        most = max(data, default=0.0)
        return float(sum(data) + (rng.laplace(0.0, most) if most else 0.0))
