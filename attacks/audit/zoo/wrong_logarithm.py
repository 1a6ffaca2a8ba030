"""Gaussian noise by the textbook, with the decimal logarithm."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class WrongLogarithm(Specimen):
    """See the top of the file."""

    delta = 1e-05
    gaussian = True
    reals = True
    truth = 1.1868
    why = "log10 in place of ln."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.normal(0.0, (2 * math.log10(1.25e5)) ** 0.5))
