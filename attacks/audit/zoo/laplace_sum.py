"""A sum of clipped values with Laplace noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class LaplaceSum(Specimen):
    """See the top of the file."""

    reals = True
    truth = 1.0
    why = "Values are clipped to public bounds; right for real numbers (Mironov 2012 for floats)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.laplace(0.0, 1.0))
