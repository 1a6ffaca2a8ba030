"""A count with noise that is never negative."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class OneSided(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "An answer below the count never happens."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + int(rng.geometric(-math.expm1(-1.0))) - 1
