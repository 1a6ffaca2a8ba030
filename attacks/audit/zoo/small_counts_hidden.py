"""A noisy histogram whose cells below two are suppressed."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, cell_pairs, two_sided


class SmallCountsHidden(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "Which cells are suppressed follows from exact counts."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return cell_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [cell + two_sided(rng, 1.0) if cell >= 2 else -1 for cell in data]
