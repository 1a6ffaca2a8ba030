"""A count with floating-point Laplace noise."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs


class PaperFloatLaplace(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "The low bits of the sum tell the count (Mironov 2012; the SECRYPT 2022 code, as published)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + rng.laplace(0.0, 1.0)
