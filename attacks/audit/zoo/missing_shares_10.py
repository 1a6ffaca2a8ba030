"""A count of which one share of noise in ten is missing."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, polya


class MissingShares10(Specimen):
    """See the top of the file."""

    truth = 1.099
    why = "Shares were sized for nodes that dropped out."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + sum(polya(rng, 1.0, 0.1) for _ in range(9))
