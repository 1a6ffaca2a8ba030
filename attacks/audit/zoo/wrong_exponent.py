"""The exponential mechanism with scores that change in both directions."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class WrongExponent(Specimen):
    """See the top of the file."""

    adjacency = "replace-one"
    truth = 1.937
    why = "exp(epsilon score) where half of epsilon was needed: a change moves two scores, apart."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([5, 0, 0, 0], [4, 1, 0, 0], "an answer changes"),
            ([2, 2, 0, 0], [1, 3, 0, 0], "another one"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return "abcd"[int(np.argmax(np.array(data) + rng.gumbel(size=4)))]
