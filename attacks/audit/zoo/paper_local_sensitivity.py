"""A sum with noise of the largest value that is held."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class PaperLocalSensitivity(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "The scale is read off the data (the SECRYPT 2022 paper, as published)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([1.0] * 10, [*[1.0] * 10, 1000.0], "ten ones, and a 1000")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(sum(data) + rng.laplace(0.0, max(data)))
