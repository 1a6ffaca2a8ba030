"""Zero update: free riders that send nothing but zeros."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison


@dataclass(frozen=True)
class Zero(Poison):
    """Harmless to a sum; it tells apart rules that know what is undefined."""

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return list(np.zeros_like(known.own))
