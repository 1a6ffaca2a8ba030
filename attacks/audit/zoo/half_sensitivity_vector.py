"""Twenty sums, each with half the noise."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class HalfSensitivityVector(Specimen):
    """See the top of the file."""

    reals = True
    truth = 2.0
    why = (
        "Each output costs a tenth in place of a twentieth: hardly seen in outputs, certain in what "
        "it asks of numpy."
    )

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return np.clip(data, 0, 1).sum() + rng.laplace(0.0, 10.0, 20)
