"""Label flip: every record counts for the next class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import flipped


@dataclass(frozen=True)
class LabelFlip(Poison):
    """Poisons the records: what it sends is what honest software makes of wrong labels."""

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        return list(flipped(known.own))
