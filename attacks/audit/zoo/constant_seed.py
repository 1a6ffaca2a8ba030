"""A count with noise from a generator of a constant seed."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class ConstantSeed(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Who knows the code knows the noise."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + two_sided(np.random.default_rng(42), 1.0)
