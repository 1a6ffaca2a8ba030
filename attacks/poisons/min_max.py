"""Min-Max: as far out as the two most distant honest nodes are from each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import farthest_towards_flip


@dataclass(frozen=True)
class MinMax(Poison):
    """Moves the honest mean towards flipped labels, no farther from any honest node than honest nodes are.

    Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", section IV.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return farthest_towards_flip(known, np.max)
