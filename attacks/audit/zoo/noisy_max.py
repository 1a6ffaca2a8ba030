"""Which of four counts is largest, after noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class NoisyMax(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Only the index is released; for counts noise of scale 1 / epsilon suffices (Dwork and Roth 2014)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([3, 2, 2, 0], [3, 3, 2, 0], "one more for the second"),
            ([1, 1, 1, 1], [2, 1, 1, 1], "one more"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return int(np.argmax([cell + rng.laplace(0.0, 1.0) for cell in data]))
