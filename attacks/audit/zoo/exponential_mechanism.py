"""The most frequent of four answers, by the exponential mechanism."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class ExponentialMechanism(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "Scores are counts, which change in one direction only, so epsilon rather than half of it."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [([3, 2, 2, 0], [3, 3, 2, 0], "one more for b"), ([0, 0, 0, 0], [1, 0, 0, 0], "one for a")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return "abcd"[int(np.argmax(np.array(data) + rng.gumbel(size=4)))]
