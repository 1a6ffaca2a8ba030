"""A count that is refused below two records."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class AbortsWhenFew(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "A refusal is an output."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        if data < 2:
            raise ValueError("too few records")
        return data + two_sided(rng, 1.0)
