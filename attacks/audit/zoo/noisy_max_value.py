"""The largest of five noisy counts itself, charged like its index."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class NoisyMaxValue(Specimen):
    """See the top of the file."""

    truth = 5.0
    why = "The largest value reveals all of them a little (Dwork and Roth 2014, claim 3.9 is of the index)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([3] * 5, [4] * 5, "a record in all counts")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return max(cell + two_sided(rng, 1.0) for cell in data)
