"""A bit that is kept with probability e / (1 + e)."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class RandomisedResponse(Specimen):
    """See the top of the file."""

    adjacency = "replace-one"
    truth = 1.0
    why = "Warner (1965)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [(0, 1, "a bit that flips")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return int(data) if rng.random() < math.e / (1 + math.e) else 1 - int(data)
