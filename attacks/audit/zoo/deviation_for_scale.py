"""A sum whose noise has a standard deviation of 1 / epsilon."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class DeviationForScale(Specimen):
    """See the top of the file."""

    reals = True
    truth = 1.4142135623730951
    why = "A Laplace variable of scale b has a standard deviation of b times the root of 2."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.laplace(0.0, 0.5**0.5))
