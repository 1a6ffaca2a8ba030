"""Scaled flip: flipped labels, a hundred times over."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import flipped


@dataclass(frozen=True)
class ScaledFlip(Poison):
    """What one node can do to a sum that nothing bounds.

    Parameters
    ----------
    factor
        How many times each record counts.
    """

    factor: int = 100

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return list(self.factor * flipped(known.own))
