"""A count whose scale is one over the square of epsilon."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class EpsilonSquared(Specimen):
    """See the top of the file."""

    epsilon = 2.0
    truth = 4.0
    why = "Epsilon was applied twice: at 2 the noise is half of what it must be."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + two_sided(rng, 2.0 * 2.0)
