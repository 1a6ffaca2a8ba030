"""Gaussian noise for a delta of 0.01 that claims 1e-6."""

from typing import Any

import numpy as np

from attacks.audit.black_box.claim import gaussian_shift
from attacks.audit.specimen import Specimen, value_pairs


class DeltaTooLarge(Specimen):
    """See the top of the file."""

    delta = 1e-06
    gaussian = True
    reals = True
    truth = 2.4158
    why = "Delta was typed as a percentage."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return value_pairs()

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return float(np.clip(data, 0, 1).sum() + rng.normal(0.0, 1 / gaussian_shift(1.0, 0.01)))
