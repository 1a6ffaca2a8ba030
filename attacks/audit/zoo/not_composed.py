"""Three counts of the same records, all of epsilon each."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class NotComposed(Specimen):
    """See the top of the file."""

    truth = 3.0
    why = "Epsilons of answers about the same record add up."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [data + two_sided(rng, 1.0) for _ in range(3)]
