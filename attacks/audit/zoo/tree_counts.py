"""Counts of halves and quarters, each with its part of epsilon."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, two_sided


class TreeCounts(Specimen):
    """See the top of the file."""

    truth = 1.0
    why = "A record is in one count of each level; levels share epsilon."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([3, 0, 2, 1], [3, 1, 2, 1], "one more in the second"),
            ([0, 0, 0, 0], [1, 0, 0, 0], "the first of all"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        left, right = data[0] + data[1], data[2] + data[3]
        return [two_sided(rng, 0.5) + cell for cell in (left, right, *data)]
