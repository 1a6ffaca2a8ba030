"""Feature-value injection: the rarest level of every feature, in one class only."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import rarest_levels


@dataclass(frozen=True)
class FeatureInjection(Poison):
    """Gives the first class all the rare values; cells that few honest records fill are the easiest to own.

    Parameters
    ----------
    factor
        How many times each record counts.
    """

    factor: int = 10

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        forged = known.own * self.factor
        for start, rarest in rarest_levels(known.schema, known.others):
            block = next(block for block in known.schema.blocks if block.start == start)
            forged[:, 0, block.columns] = 0
            forged[:, 0, rarest] = forged[:, 0, 0]
        return list(forged)
