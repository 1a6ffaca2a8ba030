"""A count that is exact in one run of fifty, and claims a delta of a thousandth."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class DeltaOfExactAnswers(Specimen):
    """See the top of the file."""

    delta = 0.001
    reals = True
    truth = math.inf
    why = "Twenty times the delta that is claimed."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [(0, 1, "no record, and one")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(data if rng.random() < 0.02 else data + rng.laplace(0.0, 1.0))
