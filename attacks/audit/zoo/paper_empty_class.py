"""A histogram whose empty cells stay exact zeros."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, cell_pairs, two_sided


class PaperEmptyClass(Specimen):
    """See the top of the file."""

    truth = math.inf
    why = "A class that a node does not hold is released as it is (the SECRYPT 2022 code, as published)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return cell_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [cell + two_sided(rng, 1.0) if cell else 0 for cell in data]
