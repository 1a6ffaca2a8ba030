"""A count of a sample that the server picks, charged as if coins were secret."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class WrongAmplification(Specimen):
    """See the top of the file."""

    truth = 2.26
    why = "The sample is the first records: the added one is always in it (Balle, Barthe and Gaboardi 2018)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return min(data, 21) + two_sided(rng, 2.26)
