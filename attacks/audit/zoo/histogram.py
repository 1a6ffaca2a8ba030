"""Every cell of a histogram with noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, cell_pairs, two_sided


class Histogram(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "A record is in one cell, and empty cells get noise, too."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return cell_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [cell + two_sided(rng, 1.0) for cell in data]
