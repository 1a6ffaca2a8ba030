"""A count with noise that shrinks with the number of records."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class ScaleOfTheSize(Specimen):
    """See the top of the file."""

    reals = True
    truth = math.inf
    why = "The scale depends on data."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(data + rng.laplace(0.0, 20 / max(data, 1)))
