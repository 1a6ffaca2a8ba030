"""Min-Sum: as far from all honest nodes together as the most remote honest one is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import farthest_towards_flip


@dataclass(frozen=True)
class MinSum(Poison):
    """Moves the honest mean towards flipped labels, no farther from all honest nodes than an honest one is.

    Shejwalkar and Houmansadr 2021, "Manipulating the Byzantine", section IV.
    """

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return farthest_towards_flip(known, np.sum)
