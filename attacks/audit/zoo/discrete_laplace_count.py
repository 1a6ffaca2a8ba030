"""A count with discrete Laplace noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class DiscreteLaplaceCount(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "One record moves a count by one."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + two_sided(rng, 1.0)
