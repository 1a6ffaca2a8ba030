"""A sum with Laplace noise, rounded to quarters."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class LaplaceRounded(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Rounding an answer to a public grid is post-processing, and leaves no low bits."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return round((float(np.clip(data, 0, 1).sum()) + rng.laplace(0.0, 1.0)) * 4) / 4
