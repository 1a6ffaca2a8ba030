"""A mean of a public number of values with Laplace noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class LaplaceMean(Specimen):
    """See the top of the file."""

    reals = True
    adjacency = "replace-one"
    truth = 1.0
    why = "A replaced value moves the sum by at most the width of the bounds; right for real numbers."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([0.0] * 9 + [0.0], [0.0] * 9 + [1.0], "a 0 becomes a 1"),
            ([0.5] * 10, [0.5] * 9 + [9.0], "far out"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float((np.clip(data, 0, 1).sum() + rng.laplace(0.0, 1.0)) / len(data))
