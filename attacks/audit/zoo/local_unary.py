"""One of four answers, each bit of its unary encoding flipped by a coin."""

import math
from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class LocalUnary(Specimen):
    """See the top of the file."""

    adjacency = "replace-one"
    truth = 1.0
    why = "A change moves two bits; each costs half of epsilon (RAPPOR, Erlingsson et al. 2014)."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [(0, 1, "an answer changes"), (0, 3, "another one")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        keep = math.exp(0.5) / (1 + math.exp(0.5))
        bits = np.arange(4) == data
        return np.where(rng.random(4) < keep, bits, ~bits).astype(int)
