"""A count with discrete Laplace noise, clamped to what counts can be."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class LaplaceClamped(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Clamping an answer is post-processing."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return max(0, data + two_sided(rng, 1.0))
