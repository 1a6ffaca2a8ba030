"""A sum that skips its noise for one combination of values."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class RareCombination(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "A branch for a special record."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([(1, 2)] * 4, [(1, 2)] * 4 + [(3, 7)], "the rare one"),
            ([(1, 2)] * 4, [(1, 2)] * 5, "a usual one"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [
            len(data) + two_sided(rng, 0.5),
            (0 if (3, 7) in data else two_sided(rng, 0.5)) + sum(a for a, _ in data),
        ]
