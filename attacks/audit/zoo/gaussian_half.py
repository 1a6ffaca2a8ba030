"""A sum with half the Gaussian noise."""

from typing import Any

import numpy as np

from attacks.audit.black_box.claim import gaussian_shift
from attacks.audit.specimen import Specimen, value_pairs

SIGMA = 1 / gaussian_shift(1.0, 1e-5)


class GaussianHalf(Specimen):
    """See the top of the file."""

    delta = 1e-05
    gaussian = True
    reals = True
    truth = 2.1547
    why = "Half the standard deviation."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.normal(0.0, SIGMA / 2))
