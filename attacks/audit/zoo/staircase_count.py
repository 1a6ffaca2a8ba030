"""A count with staircase noise on integers."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class StaircaseCount(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "For an integer query of sensitivity one the staircase is geometric (Geng and Viswanath 2014)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        size = int(rng.geometric(-math.expm1(-1.0))) - 1
        sign = 1 if rng.random() < 0.5 else -1
        return data + sign * size if size or sign > 0 else self.release(data, rng)
