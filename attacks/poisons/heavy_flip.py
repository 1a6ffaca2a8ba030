"""Heavy flip: an average honest node with flipped labels, as many times over as the cap allows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.poison import Forged, Knowledge, Poison
from attacks.toolkit.forging import flipped, pooled


@dataclass(frozen=True)
class HeavyFlip(Poison):
    """The full use of a cap: inside the invariants it claims exactly `cap` records, all labelled wrong."""

    def forge(self, known: Knowledge, rng: np.random.Generator) -> Sequence[Forged]:
        """See `Poison.forge`."""
        table = pooled(flipped(known.others))
        scaled = np.rint(table * (known.cap / max(table[:, 0].sum(), 1.0))).astype(np.int64)
        return [scaled] * len(known.own)
