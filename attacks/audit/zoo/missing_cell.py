"""A histogram of which one cell gets no noise."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, cell_pairs, two_sided


class MissingCell(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "The fourth cell was forgotten."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return cell_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [cell + (0 if at == 3 else two_sided(rng, 1.0)) for at, cell in enumerate(data)]
