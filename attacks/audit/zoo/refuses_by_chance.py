"""A count that one run in ten refuses, by a coin."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, count_pairs, two_sided


class RefusesByChance(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Whether it refuses does not depend on data."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return count_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        if rng.random() < 0.1:
            raise RuntimeError("out of luck")
        return data + two_sided(rng, 1.0)
