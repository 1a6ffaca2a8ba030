"""A count with one share of noise of ten."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, polya


class OneShare(Specimen):
    """See the top of the file."""

    truth = 3.2962
    why = "Every node is opened by itself, as if it were in a group."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return data + polya(rng, 1.0, 0.1)
