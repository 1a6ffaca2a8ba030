"""A sum between -1 and 1 whose noise is sized for adding a record."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class HalfSensitivityReplace(Specimen):
    """See the top of the file."""

    reals = True
    adjacency = "replace-one"
    truth = 2.0
    why = "Replacing a record moves it by two."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([-1.0] * 5, [-1.0] * 4 + [1.0], "a -1 becomes a 1")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, -1, 1).sum() + rng.laplace(0.0, 1.0))
