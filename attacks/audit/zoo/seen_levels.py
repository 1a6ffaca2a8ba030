"""Counts of the levels that were seen."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class SeenLevels(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Which levels there are is exact (Korolova et al. 2009 on thresholds)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [("aab", "aabc", "a level is new"), ("aab", "aaab", "one more a")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return {level: data.count(level) + two_sided(rng, 1.0) for level in sorted(set(data))}
