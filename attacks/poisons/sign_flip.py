"""Sign flip: the node's own statistics, negative and twenty-fold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison


@dataclass(frozen=True)
class SignFlip(Poison):
    """Subtracts honest records from a sum.

    Parameters
    ----------
    factor
        How many times.
    """

    factor: int = 20

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return list(-self.factor * known.own)
