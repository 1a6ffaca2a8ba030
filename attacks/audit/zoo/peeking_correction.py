"""A histogram that is made to add up to the true total."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, cell_pairs, two_sided


class PeekingCorrection(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "A consistency step used an exact total."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return cell_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        noisy = [cell + two_sided(rng, 1.0) for cell in data]
        return [*noisy[:-1], sum(data) - sum(noisy[:-1])]
