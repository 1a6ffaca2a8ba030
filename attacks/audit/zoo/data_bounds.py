"""A sum clipped to the bounds of the data, with noise of their width."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class DataBounds(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "The bounds are private (diffprivlib#20)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([0.5] * 10, [0.5] * 10 + [1.0], "ten halves, and a 1")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(sum(data) + rng.laplace(0.0, max(data) - min(data) + 1e-3))
