"""Class-prior shift: one class, a hundred times over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison


@dataclass(frozen=True)
class PriorShift(Poison):
    """Makes everything look like the rarest class; the parameters within each class stay true.

    Parameters
    ----------
    factor
        How many times each record of the class counts.
    """

    factor: int = 100

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        rarest = int(np.argmin(known.own[:, :, 0].sum(axis=0)))
        forged = known.own.copy()
        forged[:, rarest] *= self.factor
        return list(forged)
