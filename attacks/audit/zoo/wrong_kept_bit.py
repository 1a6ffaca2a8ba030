"""A bit that is kept nine times in ten."""

from typing import Any

import numpy as np

from attacks.audit.specimen import Specimen


class WrongKeptBit(Specimen):
    """See the top of the file."""

    adjacency = "replace-one"
    truth = 2.1972245773362196
    why = "Its epsilon is log 9."

    def pairs(self) -> Any:
        """See `Specimen.pairs`."""
        return [(0, 1, "a bit that flips")]

    def release(self, data: Any, rng: np.random.Generator) -> Any:
        """See `Specimen.release`."""
        return int(data) if rng.random() < 0.9 else 1 - int(data)
