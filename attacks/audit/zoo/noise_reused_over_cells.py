"""A histogram with one draw of noise for all its cells."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, cell_pairs, two_sided


class NoiseReusedOverCells(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Differences of cells are exact."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return cell_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        noise = two_sided(rng, 1.0)
        return [cell + noise for cell in data]
