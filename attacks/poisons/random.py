"""Random: counts drawn at random, of the honest size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison


@dataclass(frozen=True)
class Random(Poison):
    """Uninformed vandalism."""

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        # no larger than honest counts, as anything else would be scaled_flip without a plan
        most = max(int(known.own.max()), 1)
        return list(rng.integers(0, most, known.own.shape, endpoint=True))
