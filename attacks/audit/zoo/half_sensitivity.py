"""A count whose noise is sized for half its sensitivity."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class HalfSensitivity(Specimen):
    """See the top of the file."""

    truth = 2.0
    why = "The scale is half of what the claim needs."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + two_sided(rng, 2.0)
