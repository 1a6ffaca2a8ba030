"""Three sums with noise from the K-norm mechanism of a box."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class BoxNoise(Specimen):
    """See the top of the file."""

    reals = True
    truth = 1.0
    why = (
        "A record moves each sum by at most one; the density is exp(-epsilon max |x|) (Hardt and "
        "Talwar 2010). Outputs depend on each other."
    )

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [
            ([4.0, 4.0, 4.0], [5.0, 5.0, 5.0], "a record in all sums"),
            ([4.0] * 3, [5.0, 4.0, 3.0], "in two"),
        ]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return np.array(data) + rng.gamma(4.0, 1.0) * rng.uniform(-1.0, 1.0, 3)
