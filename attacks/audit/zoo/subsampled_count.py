"""A count of records that were drawn by secret coins."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class SubsampledCount(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Sampling a fifth amplifies: log(1 + (exp(2.26) - 1) / 5) = 1 (Balle, Barthe and Gaboardi 2018)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return int(rng.binomial(data, 0.2)) + two_sided(rng, math.log1p(5 * math.expm1(1.0)))
