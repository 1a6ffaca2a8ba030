"""A count with noise from a generator that the data seed."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class SeedFromData(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "The same data give the same answer."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + two_sided(np.random.default_rng(data), 1.0)
