"""A count and its two parts, where noise of the parts adds up to that of the count."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class NoiseOfLevels(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Consistency was made by drawing two of three; the sum of the parts less the count is exact."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([3, 6], [3, 7], "one more in the second")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        noise = [two_sided(rng, 0.5), two_sided(rng, 0.5)]
        return [data[0] + noise[0], data[1] + noise[1], sum(data) + sum(noise) + (data[1] > 6)]
