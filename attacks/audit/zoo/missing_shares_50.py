"""A count of which half of the noise is missing."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, polya


class MissingShares50(Specimen):
    """See the top of the file."""

    truth = 1.6752
    why = "Shares were sized for nodes that dropped out."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + polya(rng, 1.0, 0.5)
