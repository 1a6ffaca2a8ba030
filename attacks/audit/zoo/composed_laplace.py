"""Five sums of clipped values, a fifth of epsilon each."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen, value_pairs


class ComposedLaplace(Specimen):
    """See the top of the file."""

    reals = True
    truth = 1.0
    why = "Epsilons add up; right for real numbers."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return [float(np.clip(data, 0, 1).sum() + rng.laplace(0.0, 5.0)) for _ in range(5)]
