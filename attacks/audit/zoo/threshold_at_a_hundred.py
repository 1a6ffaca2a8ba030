"""A count that is exact from a hundred on."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class ThresholdAtAHundred(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "A bug that small tests never meet."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [*count_pairs(), (99, 100, "99 records, and a hundred")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data if data >= 100 else data + two_sided(rng, 1.0)
